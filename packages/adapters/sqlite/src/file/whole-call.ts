import type { Mutation, WriteResult } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import type { Stored, WriteJob } from '../jobs.ts'
import { mutate, type Target } from './mutate.ts'

/**
 * The mutations of one call: all of them, but for those whose condition does not hold, or none. A call that is alone in
 * its transaction is undone with it.
 */
export function asWhole(
  target: Target,
  mutations: readonly Mutation<Stored>[],
  isAlone: boolean,
): readonly WriteResult[] {
  const { statements } = target
  // One mutation that is refused has changed nothing.
  const inside = !isAlone && mutations.length > 1
  if (inside) statements.of('savepoint').run([])
  const results = mutations.map((mutation) => mutate(target, mutation))
  const refusal = results.find((result) => isStoreError(result))
  if (inside && refusal !== undefined) statements.of('undo').run([])
  if (inside) statements.of('release').run([])
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
