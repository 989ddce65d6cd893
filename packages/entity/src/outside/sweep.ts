import type { Bytes, Groups, StoreError } from '@unikv/core'
import { endOf, isStoreError, leftMs, within } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { SweepReport, SweepSettings } from '../contract/entity-db.ts'
import { textOf } from '../definition/key-parts.ts'
import { newToken } from '../groups/token.ts'
import { type Index, type Layout, outsidePrefix, outsideValues, placeOf, sweepKey } from '../layout/layout.ts'
import type { Known, Types } from '../layout/types.ts'
import type { Transact } from '../runs/small-transactions.ts'
import { eachGroup } from './each-group.ts'
import { type FoundEntry, listEntries, removeEntries } from './outside-index.ts'

const hourMs = 3_600_000
const pageSize = 500
/** Longest time that a sweep waits for a group that others lock or change. */
const busyMs = 5_000

/** Remove dangling entries of indexes outside of groups, and what is left of groups without records. */
export async function sweepDatabase(
  groups: Groups,
  types: Types,
  transact: Transact,
  { timeoutMs = Number.POSITIVE_INFINITY, signal, olderThanMs = hourMs }: SweepSettings,
): Promise<SweepReport> {
  const sweep = new Sweep(groups, transact, within(timeoutMs, { signal }), wallClock() - olderThanMs)
  for (const known of types.all) for (const index of known.layout.outside) await sweep.index(known, index)
  for (const root of new Set(types.all.map(({ layout }) => layout.type.root)))
    await sweep.forgetEmpty(`e${textOf([root])}`)
  if (sweep.damaged !== undefined) throw sweep.damaged
  return sweep.report
}

class Sweep {
  readonly report: { entries: number; dangling: number; groups: number } = {
    entries: 0,
    dangling: 0,
    groups: 0,
  }
  /** Why a group could not be read. */
  damaged: StoreError | undefined
  readonly #groups: Groups
  readonly #transact: Transact
  readonly #call: ReturnType<typeof within>
  readonly #before: number

  constructor(groups: Groups, transact: Transact, call: ReturnType<typeof within>, before: number) {
    this.#groups = groups
    this.#transact = transact
    this.#call = call
    this.#before = before
  }

  index(known: Known, index: Index): Promise<void> {
    return this.#each(outsidePrefix(known.layout.type, index.name), async (group) => {
      await this.#entriesOf({ ...known, group, index })
      await this.#forget(group)
    })
  }

  forgetEmpty(prefix: string): Promise<void> {
    return this.#each(prefix, (group) => this.#forget(group))
  }

  async #each(prefix: string, work: (group: string) => Promise<void>): Promise<void> {
    const damaged = await eachGroup(this.#groups, prefix, this.#call, work, 1)
    this.damaged ??= damaged
  }

  async #entriesOf(key: SweptKey): Promise<void> {
    const { layout, group } = key
    let after: string | undefined
    do {
      const page = { after, limit: pageSize }
      const entries = await listEntries(this.#groups, layout, group, page, this.#call)
      this.report.entries += entries.length
      const old = entries.filter(({ madeAt }) => madeAt < this.#before)
      await this.#removeDangling(key, old)
      after = entries.length < pageSize ? undefined : entries.at(-1)?.key
    } while (after !== undefined)
  }

  async #removeDangling(key: SweptKey, old: readonly FoundEntry[]): Promise<void> {
    if (old.length === 0) return
    const { layout, group } = key
    const places = old.map(({ id }) => placeOf(layout, id))
    const dangling = await danglingOf(key, old, await this.#groups.read(places, this.#call))
    for (const [home, entries] of byHome(layout, dangling)) {
      const marked = await this.#mark(key, home, entries)
      const removed = marked.map(({ key }) => ({ group, key }))
      await removeEntries(this.#transact, removed, this.#call)
      this.report.dangling += removed.length
    }
  }

  /**
   * Leave a mark in the group of these entities, on which every creation fails that goes on meanwhile: a stopped process may go on at any time. Resolves to
   * the entries that have no entity then. A group that is busy is left to the next sweep.
   */
  async #mark(key: SweptKey, home: string, entries: readonly FoundEntry[]): Promise<readonly FoundEntry[]> {
    const keys = entries.map(({ id }) => placeOf(key.layout, id).key)
    const call = within(Math.min(busyMs, leftMs(this.#call)), { signal: this.#call.signal })
    let dangling: readonly FoundEntry[] = []
    try {
      await this.#transact(home, call, async (space) => {
        dangling = await danglingOf(key, entries, await space.getMany(keys))
        return dangling.length === 0 ? [] : [{ key: sweepKey, value: Buffer.from(newToken(), 'hex') }]
      })
      return dangling
    } catch (error) {
      if (!isStoreError(error) || !error.retryable || endOf(this.#call, false) !== undefined) throw error
      return []
    }
  }

  async #forget(group: string): Promise<void> {
    if (await this.#groups.forget(group, this.#before, this.#call)) this.report.groups++
  }
}

/** Entries by the group of their entity. */
function byHome(layout: Layout, entries: readonly FoundEntry[]): ReadonlyMap<string, readonly FoundEntry[]> {
  const homes = new Map<string, FoundEntry[]>()
  for (const entry of entries) {
    const { group } = placeOf(layout, entry.id)
    const some = homes.get(group)
    if (some === undefined) homes.set(group, [entry])
    else some.push(entry)
  }
  return homes
}

/** Those whose entity, stored so, is not there, has another token, or another key. */
async function danglingOf(
  { codec, index, group }: SweptKey,
  entries: readonly FoundEntry[],
  stored: readonly (Bytes | undefined)[],
): Promise<readonly FoundEntry[]> {
  const values = outsideValues(index, group)
  const live = await Promise.all(entries.map(({ token }, at) => codec.isIndexed(stored[at], token, values)))
  return entries.filter((_, at) => !live[at])
}

/** A key of an index outside of groups, and the group that has its entries. */
interface SweptKey extends Known {
  readonly group: string
  readonly index: Index
}
