import {
  type Bytes,
  type CallOptions,
  isWritten,
  type Mutation,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { setTimeout } from '@unikv/core/platform'
import { Failure } from '../loads/answer.ts'
import type { Flight } from '../loads/flight.ts'
import { doubtForMs, isUnknown } from '../loads/writes-under-way.ts'
import type { CacheRecord } from './cache-record.ts'
import { clearTier } from './clear-tier.ts'
import { type Slot, untouched } from './slot.ts'
import type { Claim, Claimed, Fill, Marks, Tier, Unmarked, Wanted } from './tier.ts'
import type { TierStore } from './tier-store.ts'
import { TierWait } from './tier-wait.ts'
import type { UnconfirmedKeys } from './unconfirmed-keys.ts'

const granted: Claim = Object.freeze({ version: undefined })

/**
 * Records without leases, in a store that has no conditional writes: fills of this process are followed until they have
 * landed, and those that a write has overtaken are removed again. Fills of other processes meanwhile are not seen.
 */
export class PlainTier implements Tier {
  readonly certifies = false
  readonly #store: TierStore
  readonly #unconfirmed: UnconfirmedKeys
  /** Fills under way. They outlive the loads that began them once no caller waits for those. */
  readonly #filling = new Map<string, Landing>()

  constructor(store: TierStore, unconfirmed: UnconfirmedKeys) {
    this.#store = store
    this.#unconfirmed = unconfirmed
  }

  async find(
    keys: readonly string[],
    wait: TierWait,
    known?: readonly (Version | undefined)[],
  ): Promise<readonly (Slot | Failure)[]> {
    this.#unconfirmed.look()
    const at = Array.from(keys.keys()).filter((i) => this.#mayRead(keys[i] as string))
    const slots = await this.#store.find(
      at.map((i) => keys[i] as string),
      at.map((i) => known?.[i]),
      wait,
    )
    const found: (Slot | Failure)[] = keys.map(() => untouched)
    for (const [j, i] of at.entries()) {
      const slot = slots[j] as Slot | Failure
      if (slot instanceof Failure || this.#unconfirmed.trusts(keys[i] as string, slot.version))
        found[i] = slot
    }
    return found
  }

  async claim(wanted: readonly Wanted[]): Promise<readonly (Claim | undefined)[]> {
    return wanted.map(({ flight }) => (this.#store.takes(flight.key) ? granted : undefined))
  }

  async fill(items: readonly Fill[], wait: TierWait): Promise<readonly undefined[]> {
    await this.#fill(items, wait)
    // Their readers know something newer than what may lie there.
    const followed = items.filter(({ flight }) => flight.followed).map(({ flight }) => flight.key)
    if (followed.length > 0) await this.#invalidate(followed, wait)
    return items.map(() => undefined)
  }

  async #fill(items: readonly Fill[], wait: TierWait): Promise<void> {
    const fills: Landing[] = []
    const mutations: Mutation<Bytes>[] = []
    for (const { flight, record } of items) {
      const under = this.#filling.get(flight.key)
      if (under !== undefined) under.isOvertaken = true
      if (flight.overtaken || under !== undefined) continue
      const mutation = this.#store.put(flight.key, record)
      if (mutation === undefined) continue
      fills.push({ flight, isOvertaken: false, landed: undefined })
      mutations.push(mutation)
    }
    if (fills.length === 0) return
    await this.#store
      .bounded((call) => {
        const landed = this.#store.write(mutations, call).then((results) => this.#filled(fills, results))
        for (const fill of fills) {
          fill.landed = landed
          this.#filling.set(fill.flight.key, fill)
        }
        return landed
      }, wait)
      .catch((error: unknown) => void this.#store.failure(error))
  }

  async release(claims: readonly Claimed[]): Promise<readonly boolean[]> {
    return claims.map(() => false)
  }

  async mark(
    keys: readonly string[],
    _call: CallOptions,
    _fillable: ReadonlySet<string>,
    wait: TierWait,
  ): Promise<Marks> {
    return this.#invalidate(keys, wait)
  }

  async unmark(
    keys: readonly string[],
    _marks: Marks,
    _fills: ReadonlyMap<string, CacheRecord>,
    wait: TierWait,
  ): Promise<Unmarked> {
    const gone = await this.#invalidate(keys, wait)
    return { filled: new Map(), unsure: new Set(keys.filter((key) => !gone.has(key))) }
  }

  clear(prefixes: readonly string[], wait: TierWait): Promise<boolean> {
    return clearTier(prefixes, wait, { store: this.#store, unconfirmed: this.#unconfirmed, tier: this })
  }

  /** Wait for fills under way and close the store. */
  close(): Promise<void> {
    return this.#store.close(this.#landed(Array.from(this.#filling.values()), new TierWait()))
  }

  #mayRead(key: string): boolean {
    return this.#store.takes(key) && !this.#unconfirmed.has(key)
  }

  /** Remove the records of these keys. Afterwards they are gone, or suspect. */
  async #invalidate(keys: readonly string[], wait: TierWait): Promise<Marks> {
    const taken = keys.filter((key) => this.#store.takes(key))
    const gone = new Map(keys.filter((key) => !this.#store.takes(key)).map((key) => [key, undefined]))
    const fills = taken.flatMap((key) => this.#filling.get(key) ?? [])
    for (const fill of fills) fill.isOvertaken = true
    if (fills.length > 0) await this.#landed(fills, wait)
    // A fill that is still on its way may land before the removal or after it, and be acknowledged first either way.
    const free = new Set(taken.filter((key) => !this.#filling.has(key)))
    const results = await this.#store.writeInTime(
      taken.map((key) => this.#store.remove(key)),
      wait,
    )
    for (const [i, key] of taken.entries()) {
      const result = results[i]
      if (result !== undefined && isWritten(result) && free.has(key)) {
        this.#unconfirmed.delete(key)
        gone.set(key, undefined)
      } else this.#unconfirmed.add(key)
    }
    return gone
  }

  /** The outcome of fills, known in time or not. */
  #filled(fills: readonly Landing[], results: readonly WriteResult[]): void {
    for (const [i, fill] of fills.entries()) {
      const result = results[i] as WriteResult
      // It may land a little later.
      if (isUnknown(result)) setTimeout(() => this.#ended(fill), doubtForMs).unref()
      else this.#ended(fill, result)
    }
  }

  #ended(fill: Landing, result?: WriteResult): void {
    const { key, overtaken } = fill.flight
    this.#filling.delete(key)
    if (overtaken || fill.isOvertaken) void this.#invalidate([key], new TierWait())
    else if (result !== undefined && isWritten(result)) this.#unconfirmed.filled(key, result.version)
  }

  /** Wait for fills, as long as one may wait. */
  async #landed(fills: readonly Landing[], wait: TierWait): Promise<void> {
    await this.#store
      .bounded(() => Promise.all(fills.map(async ({ landed }) => landed)), wait)
      .catch(() => {})
  }
}

/** One record on its way into the store. */
interface Landing {
  readonly flight: Flight
  /** A write began, or a later load: the record must be removed again. */
  isOvertaken: boolean
  landed: Promise<void> | undefined
}
