import { isDeepStrictEqual } from 'node:util'
import { type AnyStore, type Entry, isEntry, isNotModified, isStoreError, type Read } from '@unikv/core'
import { isBytes, wallClock } from '@unikv/core/platform'
import type { Verification } from '../options.ts'
import { bytesOf, keyPages, type Stored } from '../places/pages.ts'
import type { Place } from '../places/place.ts'
import { refuseAborted, retried, type Ways } from '../ways.ts'
import { ahead } from './ahead.ts'
import type { Found, Source } from './source.ts'
import { callOf } from './writer.ts'

const mostExamples = 10

type Kind = 'missing' | 'different' | 'extra'

/** How the target may differ. */
export interface Tolerance {
  readonly keepsExpiry: boolean
  /** The target may have other records. */
  readonly overwrite: boolean
  readonly total: number | undefined
}

/** Compares a target with its source, in constant memory: each record of the source, then each key of the target. */
export class Comparison {
  readonly #source: Source
  readonly #target: Place
  readonly #ways: Ways
  readonly #tolerance: Tolerance
  readonly #counts = { missing: 0, different: 0, extra: 0 }
  readonly #examples: Record<Kind, string[]> = { missing: [], different: [], extra: [] }
  #compared = 0
  #present = 0
  #bytes = 0

  constructor(source: Source, target: Place, ways: Ways, tolerance: Tolerance) {
    this.#source = source
    this.#target = target
    this.#ways = ways
    this.#tolerance = tolerance
  }

  async run(): Promise<Verification> {
    for await (const { items } of ahead(this.#source.pages(undefined))) {
      await this.#ways.pace?.take(items.length, this.#ways.signal)
      refuseAborted(this.#ways.signal)
      await this.#page(items)
    }
    const { missing, different } = this.#counts
    const extra = await this.#extras()
    return { compared: this.#compared, missing, different, extra, examples: this.#examples }
  }

  async #page(items: readonly Stored[]): Promise<void> {
    if (items.length === 0) return
    const found = await read(this.#target.store, items, this.#ways)
    for (const [i, item] of items.entries())
      if (!this.#agree(item.entry, found[i])) await this.#lookAgain(item, found[i])
    this.#compared += items.length
    this.#present += found.filter((one) => one !== undefined).length
    this.#bytes += items.reduce((sum, { key, entry }) => sum + key.length + bytesOf(entry.value), 0)
    this.#ways.told({
      phase: 'verify',
      records: this.#compared,
      bytes: this.#bytes,
      total: this.#tolerance.total,
    })
  }

  /** A record that another writer changed, or that ran out of time, between two looks does not count. */
  async #lookAgain(item: Stored, first: Found): Promise<void> {
    const { store } = this.#source
    const [now, there] =
      store === undefined
        ? [item.entry, first]
        : [await one(store, item.key, this.#ways), await one(this.#target.store, item.key, this.#ways)]
    if (this.#agree(now, there)) return
    this.#note(there === undefined ? 'missing' : isEntry(now) ? 'different' : 'extra', item.key)
  }

  #agree(there: Found, here: Found): boolean {
    if (!isEntry(there)) return there === undefined && here === undefined
    const { keepsExpiry } = this.#tolerance
    if (!isEntry(here))
      return here === undefined && (there.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#ended()
    if (this.#source.repeats && (here.version ?? '') > (there.version ?? '')) return true
    return isEqual(there.value, here.value) && (!keepsExpiry || this.#isInTime(there, here))
  }

  #isInTime(there: Entry<unknown>, here: Entry<unknown>): boolean {
    if (there.expiresAt === undefined || here.expiresAt === undefined)
      return there.expiresAt === here.expiresAt
    return Math.abs(there.expiresAt - here.expiresAt) <= this.#precisionMs
  }

  /** Records that expire before this may be gone in one store, and not yet in the other. */
  #ended(): number {
    return wallClock() + this.#precisionMs
  }

  get #precisionMs(): number {
    const { ttl } = this.#target.store.capabilities
    return Math.max(this.#source.precisionMs, ttl === false ? 1 : ttl.precisionMs)
  }

  async #extras(): Promise<number | undefined> {
    const { store, records } = this.#source
    const { scan } = this.#target.store.capabilities
    if (scan === false || this.#tolerance.overwrite) return undefined
    if (store === undefined && records === undefined) return undefined
    let keysFound = 0
    for await (const keys of ahead(keyPages(this.#target, this.#ways))) {
      if (store !== undefined) await this.#ways.pace?.take(keys.length, this.#ways.signal)
      refuseAborted(this.#ways.signal)
      keysFound += keys.length
      this.#ways.told({ phase: 'extras', records: keysFound, bytes: 0, total: this.#tolerance.total })
      if (store !== undefined) await this.#withoutSource(store, keys)
    }
    if (store !== undefined || scan.delivery !== 'once')
      return store === undefined ? undefined : this.#counts.extra
    return Math.max(0, keysFound - this.#present)
  }

  async #withoutSource(store: AnyStore, keys: readonly string[]): Promise<void> {
    const found = await read(
      store,
      keys.map((key) => ({ key, head: true })),
      this.#ways,
    )
    for (const [i, key] of keys.entries()) {
      if (found[i] !== undefined) continue
      const isThere = (await one(this.#target.store, key, this.#ways)) !== undefined
      if (isThere && (await one(store, key, this.#ways)) === undefined) this.#note('extra', key)
    }
  }

  #note(kind: Kind, key: string): void {
    this.#counts[kind] += 1
    if (this.#examples[kind].length < mostExamples) this.#examples[kind].push(key)
  }
}

async function one(store: AnyStore, key: string, ways: Ways): Promise<Found> {
  return (await read(store, [{ key }], ways))[0]
}

/** @throws {StoreError} that of a record which cannot be read */
async function read(store: AnyStore, reads: readonly Read[], ways: Ways): Promise<readonly Found[]> {
  const asked = reads.map(({ key, head }) => (head === undefined ? { key } : { key, head }))
  return retried(ways, async () => {
    const results = await store.read(asked, callOf(ways))
    const failure = results.find(isStoreError)
    if (failure !== undefined) throw failure
    return results.map((result) => (isEntry(result) || isNotModified(result) ? result : undefined))
  })
}

function isEqual(a: unknown, b: unknown): boolean {
  if (isBytes(a) && isBytes(b)) return Buffer.compare(a, b) === 0
  return isDeepStrictEqual(a, b)
}
