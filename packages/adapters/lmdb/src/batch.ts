import {
  type Bytes,
  type CallOptions,
  type Check,
  isConditionFailed,
  isLive,
  isStoreError,
  type Mutation,
  StoreError,
  type WriteResult,
  type Written,
} from '@unikv/core'
import {
  encodeRecord,
  incremented,
  notARecord,
  recordExpiresAt,
  recordExpiresAtOffset,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { knownBytes } from './client/foreign-globals.ts'
import type { LmdbDatabase } from './client/lmdb-client.ts'
import { type RecordView, viewRecord } from './record-view.ts'

/** A mutation on its way. The record of a set is made when the call comes: its value may change afterwards. */
export interface Change {
  readonly mutation: Mutation<Bytes>
  readonly record: Buffer | undefined
}

/** The new record (`undefined`: none) and the answer; or the answer alone. */
type Plan =
  | { readonly record: Buffer | undefined; readonly written: Written }
  | { readonly answer: WriteResult }

/** The changes of a call. */
export function changesOf(mutations: readonly Mutation<Bytes>[]): readonly Change[] {
  return mutations.map((mutation) => ({
    mutation,
    record: recordOf(mutation),
  }))
}

/**
 * Do the changes of one call, inside a write transaction: all of them, but for those whose condition does not
 * hold, or none. With checks, all of them or none. Nothing is written before all are known to be possible.
 */
export function applyChanges(
  database: LmdbDatabase,
  changes: readonly Change[],
  options: CallOptions,
  now: number,
  checks?: readonly Check[],
): readonly WriteResult[] {
  checkTime(options)
  const plans = changes.map((change) => planOf(database, change, now))
  const refusal = plans.map(refusalOf).find((error) => error !== undefined)
  if (refusal !== undefined) return plans.map((plan) => refusalOf(plan) ?? refusedToo(refusal))
  if (checks !== undefined && !areAll(database, plans, checks, now))
    return plans.map(() => ({ conditionFailed: true }))
  // From here on the transaction is under way, and is committed when its turn ends.
  options.sent = true
  return plans.map((plan, i) => {
    if ('answer' in plan) return plan.answer
    const { key } = (changes[i] as Change).mutation
    if (plan.record === undefined) void database.remove(key)
    else void database.put(key, knownBytes(plan.record))
    return plan.written
  })
}

/** Whether each condition holds, and each check. */
function areAll(
  database: LmdbDatabase,
  plans: readonly Plan[],
  checks: readonly Check[],
  now: number,
): boolean {
  if (plans.some((plan) => 'answer' in plan && !isStoreError(plan.answer) && isConditionFailed(plan.answer)))
    return false
  return checks.every(({ key, version }) => {
    const there = viewRecord(database, key)
    return (there !== undefined && isLive(there.expiresAt, now) ? there.version : null) === version
  })
}

function planOf(database: LmdbDatabase, change: Change, now: number): Plan {
  const { mutation, record } = change
  const { version } = mutation
  // To look costs a tenth of a transaction.
  if (replacesAnything(mutation)) return { record, written: { version } }
  const there = present(database, mutation)
  if (isStoreError(there)) return damagePlan(mutation, there)
  const live = there !== undefined && isLive(there.expiresAt, now) ? there : undefined
  if (mutation.ifVersion !== undefined && mutation.ifVersion !== (live?.version ?? null))
    return { answer: { conditionFailed: true, version: live?.version } }
  if (mutation.type === 'delete')
    return { record: undefined, written: { version, existed: live !== undefined } }
  if (mutation.type === 'set') {
    const kept = mutation.expiresAt === 'keep' ? live?.expiresAt : undefined
    if (kept !== undefined) record?.writeUIntBE(kept, recordExpiresAtOffset, 6)
    return { record, written: { version } }
  }
  if (mutation.type === 'touch') {
    if (live === undefined) return { answer: { conditionFailed: true } }
    const touched = encodeRecord(live.body(), live.version, mutation.expiresAt)
    return { record: touched, written: { version: live.version } }
  }
  const value = incremented(live?.body(), mutation)
  if (isStoreError(value)) return { answer: value }
  const expiresAt = live === undefined ? mutation.expiresAt : live.expiresAt
  const counted = encodeRecord(Buffer.from(String(value)), version, expiresAt)
  return { record: counted, written: { version, value, expiresAt: recordExpiresAt(counted) } }
}

/** A plain delete removes a damaged record too. */
function damagePlan({ type, ifVersion, version }: Mutation<Bytes>, damage: StoreError): Plan {
  if (type !== 'delete' || ifVersion !== undefined) return { answer: damage }
  return { record: undefined, written: { version, existed: true } }
}

/** Whether it does not matter what is there, not even a damaged record. */
export function replacesAnything(mutation: Mutation<Bytes>): boolean {
  return mutation.type === 'set' && mutation.ifVersion === undefined && mutation.expiresAt !== 'keep'
}

/** The present record. A damaged record is an error, unless a set keeps its expiry, which it then has not. */
function present(
  database: LmdbDatabase,
  { key, type, ifVersion }: Mutation<Bytes>,
): RecordView | StoreError | undefined {
  try {
    return viewRecord(database, key)
  } catch (error) {
    if (!isStoreError(error)) throw error
    return ifVersion === undefined && type === 'set' ? undefined : notARecord()
  }
}

/** The record of a set, as of now. */
export function recordOf(mutation: Mutation<Bytes>): Buffer | undefined {
  if (mutation.type !== 'set') return undefined
  const expiresAt = mutation.expiresAt === 'keep' ? undefined : mutation.expiresAt
  return encodeRecord(mutation.value, mutation.version, expiresAt)
}

function refusalOf(plan: Plan): StoreError | undefined {
  return 'answer' in plan && isStoreError(plan.answer) ? plan.answer : undefined
}

function refusedToo({ code }: StoreError): StoreError {
  return new StoreError(
    code,
    'Another write of this call was rejected, and a call takes effect as a whole or not at all.',
  )
}

/** `now` is of `performance.now()`. @throws {StoreError} if the call has ended while it waited: nothing was changed yet */
export function checkTime(options: CallOptions, now: number = performance.now()): void {
  if (options.signal?.aborted === true || options.settled === true)
    throw new StoreError('ABORTED', 'The call ended before its transaction began; nothing was changed.')
  if (now < options.deadlineAt) return
  throw new StoreError('TIMEOUT', 'Other transactions held the lock until the deadline; nothing was changed.')
}
