import { isConditionFailed, type Mutation, type WriteResult } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import type { Stored, WriteJob } from '../jobs.ts'
import { mutate, present, type Target } from './mutate.ts'

const failed = { conditionFailed: true } as const

/**
 * The mutations of one call: all of them, but for those whose condition does not hold, or none. A call that is alone in
 * its transaction is undone with it. With checks, all of them or none.
 */
export function asWhole(
  target: Target,
  { mutations, checks }: WriteJob,
  isAlone: boolean,
): readonly WriteResult[] {
  const { statements } = target
  if (checks?.every(({ key, version }) => (present(target, Buffer.from(key)) ?? null) === version) === false)
    return mutations.map(() => failed)
  // One mutation that is refused has changed nothing.
  const inside = (checks !== undefined || !isAlone) && mutations.length > 1
  if (inside) statements.of('savepoint').run([])
  const results = mutations.map((mutation) => mutate(target, mutation))
  const refusal = results.find((result) => isStoreError(result))
  const isLost =
    checks !== undefined && results.some((result) => !isStoreError(result) && isConditionFailed(result))
  if (inside && (isLost || refusal !== undefined)) statements.of('undo').run([])
  if (inside) statements.of('release').run([])
  if (isLost && refusal === undefined) return mutations.map(() => failed)
  return refusal === undefined
    ? results
    : results.map((result) => (isStoreError(result) ? result : refusedToo(refusal)))
}

/** The mutation, if one statement does it: that is a transaction of its own, which spares two calls of the driver. */
export function oneStatementOf({ mutations }: WriteJob): Mutation<Stored> | undefined {
  const mutation = mutations[0] as Mutation<Stored>
  if (mutations.length > 1 || mutation.ifVersion !== undefined) return undefined
  const isOne = mutation.type === 'delete' || (mutation.type === 'set' && !setsExpiry(mutation))
  return isOne ? mutation : undefined
}

/** Whether what it writes may expire. */
export function setsExpiry(mutation: Mutation<Stored>): boolean {
  return mutation.type !== 'delete' && typeof mutation.expiresAt === 'number'
}

/** The error of the mutations that go with one that was refused. */
export function refusedToo({ code }: StoreError): StoreError {
  return new StoreError(
    code,
    'Another write of this call was rejected, and a call takes effect as a whole or not at all.',
  )
}
