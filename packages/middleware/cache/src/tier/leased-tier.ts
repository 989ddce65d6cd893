import {
  type Bytes,
  type CallOptions,
  isConditionFailed,
  isWritten,
  type Mutation,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { Counters } from '../cache-stats.ts'
import { Failure } from '../loads/answer.ts'
import { doubtForMs } from '../loads/writes-under-way.ts'
import type { StoreCacheSettings } from '../store-cache-options.ts'
import type { CacheRecord, Hold } from './cache-record.ts'
import { isKnown, tagsOfClaims } from './claimed-tags.ts'
import { clearTier } from './clear-tier.ts'
import { type Slot, untouched } from './slot.ts'
import type { Claim, Claimed, Fill, Mark, Marks, Tier, Unmarked, Wanted } from './tier.ts'
import type { TierStore } from './tier-store.ts'
import type { TierWait } from './tier-wait.ts'
import type { UnconfirmedKeys } from './unconfirmed-keys.ts'

/** Longest lease, for a load of any length. */
const maxLeaseMs = 30_000
const maxHoldMs = maxLeaseMs + doubtForMs
/** Marks that may be filled end at a random time within it, by which their writers know them again. */
const signatureMs = 1_000
/** Attempts to remove a record that others keep changing, before it is removed without a condition. */
const maxAttempts = 3

/** Whether a hold is still on. One that lasts longer than any may is of a clock that was wrong. */
export function isOn(hold: Hold | undefined, now: number): hold is Hold {
  return hold !== undefined && now < hold.until && hold.until - now <= maxHoldMs
}

/**
 * Records with leases: a process fills only keys that it has claimed, and removing or replacing a claim voids it. See
 * decision 0010.
 */
export class LeasedTier implements Tier {
  readonly certifies = true
  readonly #store: TierStore
  readonly #unconfirmed: UnconfirmedKeys
  readonly #settings: StoreCacheSettings
  readonly #counters: Counters

  constructor(
    store: TierStore,
    unconfirmed: UnconfirmedKeys,
    settings: StoreCacheSettings,
    counters: Counters,
  ) {
    this.#store = store
    this.#unconfirmed = unconfirmed
    this.#settings = settings
    this.#counters = counters
  }

  async find(
    keys: readonly string[],
    wait: TierWait,
    known?: readonly (Version | undefined)[],
  ): Promise<readonly (Slot | Failure)[]> {
    this.#unconfirmed.look()
    const at = Array.from(keys.keys()).filter((i) => this.#store.takes(keys[i] as string))
    const slots = await this.#store.find(
      at.map((i) => keys[i] as string),
      at.map((i) => (this.#unconfirmed.trusts(keys[i] as string, known?.[i]) ? known?.[i] : undefined)),
      wait,
    )
    const found: (Slot | Failure)[] = keys.map(() => untouched)
    for (const [j, i] of at.entries()) found[i] = this.#trusted(keys[i] as string, slots[j] as Slot | Failure)
    return found
  }

  async claim(
    wanted: readonly Wanted[],
    load: CallOptions,
    wait: TierWait,
  ): Promise<readonly (Claim | 'held' | undefined)[]> {
    // A lease without a waiting caller would hold up others.
    if (wait.isSpent) return wanted.map(() => undefined)
    const until = this.#holdUntil(load)
    const tags = await tagsOfClaims(wanted, this.#store, wait)
    if (wait.isSpent) return wanted.map(() => undefined)
    const leases = wanted.map((one, i) => (isKnown(tags[i]) ? this.#leaseOf(one, until) : undefined))
    const mutations = leases.filter((lease) => lease !== undefined)
    const results = await this.#store.writeInTime(mutations, wait)
    let next = 0
    return wanted.map(({ flight }, i) => {
      const seen = tags[i]
      if (seen === 'held') return seen
      if (leases[i] === undefined) return undefined
      const result = results[next++]
      if (result === undefined || !isWritten(result)) return isRefused(result) ? ('held' as const) : undefined
      this.#counters.leases++
      if (!flight.overtaken) this.#unconfirmed.delete(flight.key)
      const { version } = result
      return version === undefined || !isKnown(seen) ? undefined : { version, stamp: seen?.stamp }
    })
  }

  async fill(fills: readonly Fill[], wait: TierWait): Promise<readonly (Version | undefined)[]> {
    const mutations = fills.map(
      ({ flight: { key, overtaken }, claim: { version }, record }) =>
        (overtaken ? undefined : this.#store.put(key, record, version)) ?? this.#store.remove(key, version),
    )
    const results = await this.#store.writeInTime(mutations, wait)
    return results.map((result, i) => {
      if (isRefused(result)) this.#counters.voids++
      if (result === undefined || !isWritten(result) || mutations[i]?.type !== 'set') return undefined
      const { key, overtaken } = (fills[i] as Fill).flight
      if (!overtaken) this.#unconfirmed.filled(key, result.version)
      return result.version
    })
  }

  /** A write has replaced or removed the claim before it is acknowledged, or its key is suspect. */
  async release(claims: readonly Claimed[], wait: TierWait): Promise<readonly boolean[]> {
    const mutations = claims.map(({ wanted: { flight, former }, claim: { version } }) => {
      const { key } = flight
      const back =
        former === undefined || this.#unconfirmed.has(key) ? undefined : { ...former, hold: undefined }
      return (back && this.#store.put(key, back, version)) ?? this.#store.remove(key, version)
    })
    const results = await this.#store.writeInTime(mutations, wait)
    return results.map((result) => result !== undefined && isWritten(result))
  }

  async mark(
    keys: readonly string[],
    call: CallOptions,
    fillable: ReadonlySet<string>,
    wait: TierWait,
  ): Promise<Marks> {
    const marks = new Map<string, Mark | undefined>()
    const taken = keys.filter((key) => this.#store.takes(key))
    for (const key of keys) if (!this.#store.takes(key)) marks.set(key, undefined)
    const made = taken.map((key) => this.#holdOf(call, fillable.has(key)))
    const results = await this.#store.writeInTime(
      taken.map((key, i) => this.#markOf(key, made[i] as Omit<Hold, 'by'>)),
      wait,
    )
    for (const [i, key] of taken.entries()) {
      const result = results[i]
      if (result === undefined || !isWritten(result)) {
        // Whether or not its write is sent then: who tried to write it must not be told the former value by this process.
        this.#unconfirmed.add(key)
        continue
      }
      const { version } = result
      const { until, fills = false } = made[i] as Omit<Hold, 'by'>
      marks.set(key, version === undefined ? undefined : { version, until, fills })
    }
    return marks
  }

  async unmark(
    keys: readonly string[],
    marks: Marks,
    fills: ReadonlyMap<string, CacheRecord>,
    wait: TierWait,
  ): Promise<Unmarked> {
    const filled = new Map<string, Version>()
    const taken = keys.filter((key) => this.#store.takes(key))
    const marked = taken.filter((key) => marks.get(key) !== undefined)
    const mutations = marked.map((key) => this.#ended(key, marks.get(key) as Mark, fills.get(key)))
    const results = await this.#store.writeInTime(mutations, wait)
    const left = new Set(taken)
    for (const [i, key] of marked.entries()) {
      const result = results[i]
      if (result !== undefined && isWritten(result)) {
        left.delete(key)
        if (mutations[i]?.type !== 'set' || result.version === undefined) this.#unconfirmed.delete(key)
        else {
          this.#unconfirmed.filled(key, result.version)
          filled.set(key, result.version)
        }
      }
    }
    this.#counters.writeFills += filled.size
    const unsure = left.size === 0 ? left : await this.#clear(Array.from(left), maxAttempts, marks, wait)
    return { filled, unsure }
  }

  clear(prefixes: readonly string[], wait: TierWait): Promise<boolean> {
    return clearTier(prefixes, wait, { store: this.#store, unconfirmed: this.#unconfirmed, tier: this })
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  /** A record that could not be invalidated may be claimed, but not read. The mark of a writer stays what it is. */
  #trusted(key: string, slot: Slot | Failure): Slot | Failure {
    if (slot instanceof Failure || slot.record?.hold?.by === 'writer') return slot
    return this.#unconfirmed.trusts(key, slot.version)
      ? slot
      : { ...slot, record: undefined, unchanged: false }
  }

  #leaseOf({ flight: { key }, slot, former }: Wanted, until: number): Mutation<Bytes> | undefined {
    const { version } = slot
    if (version === undefined) return undefined
    const hold: Hold = { by: 'reader', until }
    const bare = { entry: undefined, freshUntil: 0, hold }
    return this.#store.put(key, former === undefined ? bare : { ...former, hold }, version)
  }

  /** Until when a call may go on, by the wall clock. */
  #holdUntil({ deadlineAt }: CallOptions): number {
    const leftMs = Math.max(0, deadlineAt - performance.now())
    return Math.ceil(this.#settings.clock() + Math.min(maxLeaseMs, leftMs))
  }

  /** Until when a write may take effect. */
  #holdOf(call: CallOptions, fills: boolean): Omit<Hold, 'by'> {
    const until = this.#holdUntil(call) + doubtForMs
    if (!fills) return { until }
    const latest = Math.ceil(this.#settings.clock()) + maxHoldMs - signatureMs
    return { until: Math.min(until, latest) + Math.floor(this.#settings.random() * signatureMs), fills }
  }

  /** The events that end a mark. */
  #ended(key: string, { version }: Mark, fill: CacheRecord | undefined): Mutation<Bytes> {
    return (fill && this.#store.put(key, fill, version)) ?? this.#store.remove(key, version)
  }

  /**
   * Remove what lies at these keys, but for the marks of other writers, who remove them themselves: if one of them may fill,
   * its mark is replaced by one that it cannot replace, as the last write is unknown. A record that cannot be read, or does not
   * come to rest, gets a mark that outlasts any other. Answers the keys of which that is not known to be done.
   */
  async #clear(
    keys: readonly string[],
    attempts: number,
    marks: Marks,
    wait: TierWait,
  ): Promise<ReadonlySet<string>> {
    const slots = await this.#store.read(keys, wait)
    const left: string[] = []
    const mutations: Mutation<Bytes>[] = []
    for (const [i, key] of keys.entries()) {
      const slot = slots[i] as Slot | Failure
      if (!(slot instanceof Failure) && this.#isClear(slot, marks.get(key))) this.#unconfirmed.delete(key)
      else {
        left.push(key)
        mutations.push(this.#voiding(key, attempts === 0 ? undefined : slot, marks.get(key)))
      }
    }
    const results = await this.#store.writeInTime(mutations, wait)
    const again = left.filter((_, i) => isRefused(results[i]))
    const unsure = left.filter((_, i) => !isDone(results[i]) && !isRefused(results[i]))
    for (const [i, key] of left.entries()) if (isDone(results[i])) this.#unconfirmed.delete(key)
    for (const key of unsure) this.#unconfirmed.add(key)
    if (again.length === 0) return new Set(unsure)
    return new Set([...unsure, ...(await this.#clear(again, attempts - 1, marks, wait))])
  }

  #voiding(key: string, slot: Slot | Failure | undefined, own: Mark | undefined): Mutation<Bytes> {
    if (slot === undefined || slot instanceof Failure || slot.version === undefined)
      return this.#markOf(key, { until: Math.ceil(this.#settings.clock()) + maxHoldMs })
    const hold = this.#markAt(slot)
    return hold === undefined || isSame(hold, own)
      ? this.#store.remove(key, slot.version)
      : this.#markOf(key, { until: hold.until }, slot.version)
  }

  #markOf(key: string, hold: Omit<Hold, 'by'>, ifVersion?: Version | null): Mutation<Bytes> {
    const mark = { entry: undefined, freshUntil: 0, hold: { ...hold, by: 'writer' } } as const
    return this.#store.put(key, mark, ifVersion) as Mutation<Bytes>
  }

  #isClear(slot: Slot, own: Mark | undefined): boolean {
    const hold = this.#markAt(slot)
    return slot.version === null || (hold !== undefined && hold.fills !== true && !isSame(hold, own))
  }

  /** The mark of a writer that still stands. */
  #markAt({ record }: Slot): Hold | undefined {
    const hold = record?.hold
    return hold?.by === 'writer' && isOn(hold, this.#settings.clock()) ? hold : undefined
  }
}

/** Whether a mark is this one, perhaps replaced by somebody who kept it from being filled. */
function isSame(hold: Hold, own: Mark | undefined): boolean {
  return own?.fills === true && hold.until === own.until
}

function isDone(result: WriteResult | undefined): boolean {
  return result !== undefined && isWritten(result)
}

function isRefused(result: WriteResult | undefined): boolean {
  return result !== undefined && isConditionFailed(result)
}
