import { type Awaitable, andThen, isPromise } from '../contract/awaitable.ts'
import { type Call, endOf } from '../contract/call.ts'
import type { Capabilities } from '../contract/capabilities.ts'
import { isConditionFailed, isEntry } from '../contract/entry.ts'
import { StoreError } from '../contract/errors.ts'
import type { Entry, Mutation, Version } from '../contract/store.ts'
import { newVersion } from '../contract/version.ts'
import { kindOf } from '../options/check-options.ts'
import { heard } from '../options/own-function.ts'
import { pause } from '../platform/timers.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Direct } from './direct.ts'
import { outcomeOf } from './finish.ts'
import { remove } from './key-value.ts'
import type { CallSettings, UpdateOptions } from './settings.ts'

const maxAttempts = 16
const firstPauseMs = 2
const longestPauseMs = 200

/** A pure function of the present value. */
export type Change<V> = (value: V | undefined, entry: Entry<V> | undefined) => V | typeof remove | undefined

/** The outcome of an update. An error thrown by `change` is passed on as it is. */
type Outcome<V> = { readonly value: V | undefined } | { readonly thrown: unknown }

/**
 * `KeyValue.update`: read, change, and write if no other write came between; if one did, again with full jitter. It holds
 * its key from the read to the write, so calls of this process never conflict with it.
 */
export async function update<K, V>(
  direct: Direct<K, V>,
  key: K,
  change: Change<V>,
  settings: UpdateOptions | undefined,
  operation = 'update',
): Promise<V | undefined> {
  const { engine } = direct
  let outcome: Outcome<V>
  try {
    const target = { key: direct.canonical(key), version: undefined }
    const call = engine.call(settings)
    const updating = new Updating(direct, target, change, call, expiryOf(direct, settings))
    outcome = await engine.exclusively(operation, [target], call, () => updating.attempt(1))
  } catch (error) {
    throw engine.located(error, operation)
  }
  if ('thrown' in outcome) throw outcome.thrown
  return outcome.value
}

/** `KeyValue.take`: an update that deletes what it finds. Resolves to the value that its delete took away. */
export async function take<K, V>(
  direct: Direct<K, V>,
  key: K,
  settings: CallSettings | undefined,
): Promise<V | undefined> {
  let taken: V | undefined
  const takes: Change<V> = (value) => {
    taken = value
    return remove
  }
  await update(direct, key, takes, settings, 'take')
  return taken
}

/** Expiry that an update writes: a time, or `'keep'`, which is the default. */
export function expiryOf<K, V>(
  direct: Direct<K, V>,
  options: UpdateOptions | undefined,
): number | 'keep' | undefined {
  const { ttlMs, expiresAt } = options ?? {}
  if (ttlMs === undefined && expiresAt === undefined)
    return direct.engine.store.capabilities.ttl === false ? undefined : 'keep'
  return direct.expiry('update', { ttlMs, expiresAt })
}

/** Refuse what `take` cannot work with, before anything is sent. */
export function checkTake<K, V>(direct: Direct<K, V>, settings: CallSettings | undefined): void {
  if (settings !== undefined) checkCallOptions('take', settings)
  direct.demand('conditionalWrite', 'take')
  direct.engine.call(settings)
}

/** Refuse what `update` cannot work with, before anything is sent. */
export function checkUpdate<K, V>(
  direct: Direct<K, V>,
  change: unknown,
  settings: UpdateOptions | undefined,
): void {
  if (settings !== undefined) checkCallOptions('update', settings)
  direct.demand('conditionalWrite', 'update')
  expiryOf(direct, settings)
  direct.engine.call(settings)
  if (typeof change === 'function') return
  throw new StoreError('INVALID_ARGUMENT', `update() takes a function of the value, got ${kindOf(change)}.`)
}

/** The answer of the function of `update`, which is never a promise. */
export function atOnce<T>(next: T): T {
  if (!isPromise(next)) return next
  void heard(next)
  const message =
    'The function of update() must not be async: it may run several times. Await before the call.'
  throw new StoreError('INVALID_ARGUMENT', message, { operation: 'update' })
}

/** Whether a plain read may be answered with less than was acknowledged, and there is one that is not. */
function answersOld({ isolation, consistency }: Capabilities): boolean {
  return isolation !== 'linearizable' && consistency.includes('strong')
}

/** One update under way. */
class Updating<K, V> {
  readonly #direct: Direct<K, V>
  /** `version`: that of the latest write. */
  readonly #target: { readonly key: string; version: Version | undefined }
  readonly #change: Change<V>
  readonly #call: Call
  readonly #expiresAt: number | 'keep' | undefined

  constructor(
    direct: Direct<K, V>,
    target: { readonly key: string; version: Version | undefined },
    change: Change<V>,
    call: Call,
    expiresAt: number | 'keep' | undefined,
  ) {
    this.#direct = direct
    this.#expiresAt = expiresAt
    this.#target = target
    this.#change = change
    this.#call = call
  }

  /** `isStrong`: the store itself is asked, as what is left alone is not checked by a write. */
  attempt(count: number, isStrong = false): Awaitable<Outcome<V>> {
    const call: { consistency: string | undefined; sent: boolean } & Call = this.#call
    const { consistency } = call
    // Earlier attempts are known to have changed nothing.
    call.sent = false
    if (isStrong) call.consistency = 'strong'
    const { store } = this.#direct.engine
    const mayBeOld = !isStrong && consistency === undefined && answersOld(store.capabilities)
    return andThen(store.read([{ key: this.#target.key }], call), (results) => {
      call.consistency = consistency
      const entry = this.#direct.foundOf(results as never) as Entry<V> | undefined
      this.#refuseEnded()
      let changed: V | typeof remove | undefined
      try {
        changed = this.#change(isEntry(entry) ? entry.value : undefined, entry)
      } catch (thrown) {
        return mayBeOld ? this.attempt(count, true) : { thrown }
      }
      const next = this.#lasting(atOnce(changed))
      const leaves = next === undefined || (next === remove && entry === undefined)
      if (!leaves) return this.#write(next, entry, count)
      if (mayBeOld) return this.attempt(count, true)
      return { value: next === undefined ? entry?.value : undefined }
    })
  }

  /** The new value, or `remove` if its expiry has passed. */
  #lasting(next: V | typeof remove | undefined): V | typeof remove | undefined {
    return next !== undefined && this.#direct.hasPassed(this.#expiresAt) ? remove : next
  }

  #write(next: V | typeof remove, entry: Entry<V> | undefined, count: number): Awaitable<Outcome<V>> {
    const { engine } = this.#direct
    const mutation = mutationOf(this.#target.key, next, entry, this.#expiresAt)
    this.#target.version = mutation.version
    const value = next === remove ? undefined : this.#direct.own(next)
    const written = engine.store.write(engine.custody.now([mutation]), this.#call)
    return andThen(written, (results): Awaitable<Outcome<V>> => {
      if (isConditionFailed(outcomeOf(results))) return this.#again(count)
      return { value }
    })
  }

  async #again(count: number): Promise<Outcome<V>> {
    this.#call.sent = false
    if (count === maxAttempts)
      throw new StoreError(
        'CONDITION_FAILED',
        `Other writers changed the record first, ${maxAttempts} times; nothing was changed. Try again later.`,
        { retryable: true },
      )
    const { random } = this.#direct.engine.options
    await pause(random() * Math.min(longestPauseMs, firstPauseMs * 2 ** count))
    this.#refuseEnded()
    return this.attempt(count + 1)
  }

  /** The caller was answered: nothing more may start. */
  #refuseEnded(): void {
    const end = endOf(this.#call, true)
    if (end !== undefined) throw end
  }
}

/**
 * The conditional write that replaces the record that was read by `next`. A new record has no expiry to keep; for
 * another one the write says `'keep'`, as a touch keeps the version: one that came since would be undone.
 */
export function mutationOf<V>(
  key: string,
  next: V | typeof remove,
  entry: Entry<V> | undefined,
  expiry: number | 'keep' | undefined,
): Mutation<V> {
  const version = newVersion()
  const ifVersion = entry === undefined ? null : entry.version
  if (next === remove) return { type: 'delete', key, version, ifVersion }
  const expiresAt = entry === undefined && expiry === 'keep' ? undefined : expiry
  return { type: 'set', key, version, ifVersion, expiresAt, value: next }
}
