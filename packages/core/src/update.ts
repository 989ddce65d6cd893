import { isPromise } from './awaitable.ts'
import { checkCallOptions } from './call-settings.ts'
import { kindOf } from './check-options.ts'
import type { Direct } from './direct.ts'
import { isConditionFailed, isEntry } from './entry.ts'
import { StoreError } from './errors.ts'
import { foundOf, outcomeOf } from './finish.ts'
import { performance } from './heartbeat.ts'
import { type CallSettings, remove } from './key-value.ts'
import type { Entry, Mutation } from './store.ts'
import { pause } from './timers.ts'
import { newVersion } from './version.ts'

const maxAttempts = 16
const firstPauseMs = 2
const longestPauseMs = 200

/** A pure function of the present value. */
export type Change<V> = (value: V | undefined, entry: Entry<V> | undefined) => V | typeof remove | undefined

/** `KeyValue.update`: read, change, write if nobody else wrote; again with full jitter if somebody did. */
export async function update<K, V>(
  direct: Direct<K, V>,
  key: K,
  change: Change<V>,
  settings: CallSettings | undefined,
): Promise<V | undefined> {
  const canonical = direct.canonical(key)
  const { timeoutMs } = direct.engine.call(settings)
  const endsAt = performance.now() + timeoutMs
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0)
      await pause(direct.engine.options.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt))
    const left = { ...settings, timeoutMs: endsAt - performance.now() }
    if (left.timeoutMs <= 0)
      throw lost('TIMEOUT', 'Other writers were always faster; nothing was changed before the deadline.')
    const entry = (await direct.readOne('update', { key: canonical }, left, foundOf<V>)) as
      | Entry<V>
      | undefined
    const next = atOnce(change(isEntry(entry) ? entry.value : undefined, entry))
    if (next === undefined) return entry?.value
    if (next === remove && entry === undefined) return undefined
    left.timeoutMs = Math.max(1, endsAt - performance.now())
    const result = await direct.mutate('update', mutationOf(canonical, next, entry), left, outcomeOf)
    if (!isConditionFailed(result)) return next === remove ? undefined : next
  }
  throw lost(
    'CONDITION_FAILED',
    `Other writers were faster ${maxAttempts} times; nothing was changed. Try again later, or spread the key.`,
  )
}

/** Refuse what `update` cannot work with, before anything is sent. */
export function checkUpdate<K, V>(
  direct: Direct<K, V>,
  change: unknown,
  settings: CallSettings | undefined,
): void {
  if (settings !== undefined) checkCallOptions('update', settings)
  direct.demand('conditionalWrite', 'update')
  direct.engine.call(settings)
  if (typeof change === 'function') return
  throw new StoreError('INVALID_ARGUMENT', `update() takes a function of the value, got ${kindOf(change)}.`)
}

/** The answer of the function of `update`, which is never a promise. */
export function atOnce<T>(next: T): T {
  if (!isPromise(next)) return next
  // Nobody waits for it.
  next.catch(() => {})
  const message =
    'The function of update() must not be async: it may run several times. Await before the call.'
  throw new StoreError('INVALID_ARGUMENT', message, { operation: 'update' })
}

/** The conditional write that puts `next` in the place of what was read. */
export function mutationOf<V>(
  key: string,
  next: V | typeof remove,
  entry: Entry<V> | undefined,
): Mutation<V> {
  const version = newVersion()
  const ifVersion = entry === undefined ? null : entry.version
  if (next === remove) return { type: 'delete', key, version, ifVersion }
  const expiresAt = entry?.expiresAt === undefined ? undefined : 'keep'
  return { type: 'set', key, version, ifVersion, expiresAt, value: next }
}

function lost(code: 'TIMEOUT' | 'CONDITION_FAILED', message: string): StoreError {
  return new StoreError(code, message, { operation: 'update', retryable: true })
}
