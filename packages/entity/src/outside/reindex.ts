import type { Bytes, GroupChange, GroupEntry, Groups } from '@unikv/core'
import { type Call, heard, isStoreError, StoreError, within } from '@unikv/core/adapter'
import type { ReindexReport, ReindexSettings } from '../contract/entity-db.ts'
import { keyPartsOf, textOf } from '../definition/key-parts.ts'
import { newToken } from '../groups/token.ts'
import { entityKeyOf, insideEntry, type Layout, outsideEntry, outsideGroup } from '../layout/layout.ts'
import { decodeStored, encodeStored } from '../layout/stored-entity.ts'
import type { Known } from '../layout/types.ts'
import type { Transact } from '../runs/small-transactions.ts'
import type { Workspace } from '../runs/workspace.ts'
import { eachGroup } from './each-group.ts'
import { addEntries, type OutsideEntry } from './outside-index.ts'

/** Entities of one transaction, and groups that are looked at together. */
const [pageSize, lanes] = [200, 8]
/** Entries that are added together: entities of many groups may be in one group of an index. */
const outsideAtOnce = 1_000
const inIndex = Buffer.alloc(0)

/** Add the entries that are missing in the indexes of a type, as those of an index that was added when there were entities. */
export async function reindexType(
  groups: Groups,
  transact: Transact,
  known: Known,
  { timeoutMs = Number.POSITIVE_INFINITY, signal, onProgress }: ReindexSettings,
): Promise<ReindexReport> {
  const call = within(timeoutMs, { signal })
  const reindex = new Reindex(groups, transact, known, call, onProgress)
  const prefix = `e${textOf([known.layout.type.root])}`
  const damaged = await eachGroup(groups, prefix, call, (group) => reindex.group(group), lanes)
  await reindex.addOutside()
  if (damaged !== undefined) throw damaged
  return reindex.report
}

class Reindex {
  readonly report: { entities: number; entries: number } = { entities: 0, entries: 0 }
  readonly #outside: OutsideEntry[] = []
  readonly #groups: Groups
  readonly #transact: Transact
  readonly #known: Known
  readonly #call: Call
  readonly #onProgress: ReindexSettings['onProgress']

  constructor(
    groups: Groups,
    transact: Transact,
    known: Known,
    call: Call,
    onProgress: ReindexSettings['onProgress'],
  ) {
    this.#groups = groups
    this.#transact = transact
    this.#known = known
    this.#call = call
    this.#onProgress = onProgress
  }

  async group(group: string): Promise<void> {
    const prefix = entityKeyOf(this.#known.layout, '')
    let after: string | undefined
    let page: readonly GroupEntry[]
    do {
      page = await this.#groups.list(group, { prefix, after, limit: pageSize }, this.#call)
      if (page.length > 0) await this.#page(group, page)
      after = page.at(-1)?.key
    } while (page.length === pageSize)
  }

  /** Add the entries outside of groups that were found so far, and are missing. */
  async addOutside(): Promise<void> {
    const missing = await this.#missingOutside(this.#outside.splice(0))
    await addEntries(this.#transact, missing, this.#call)
    this.report.entries += missing.length
  }

  /** Entries in the group, and tokens, by one transaction. Those outside come later, and an end in between leaves them to the next time. */
  async #page(group: string, page: readonly GroupEntry[]): Promise<void> {
    const keys = page.map(({ key }) => key)
    let inside: readonly GroupChange[] = []
    let outside: readonly OutsideEntry[] = []
    await this.#transact(group, this.#call, async (space) => {
      const found = await this.#tokened(space, keys)
      inside = await this.#missingInside(space, found)
      outside = found.flatMap(({ entity, token }) => this.#outsideOf(entity, token))
      return [...found.flatMap(({ change }) => change ?? []), ...inside]
    })
    this.report.entities += page.length
    this.report.entries += inside.length
    this.#outside.push(...outside)
    if (this.#outside.length >= outsideAtOnce) await this.addOutside()
    heard(this.#onProgress?.(this.report.entities))
  }

  /** The entities that are still there, each with a token if entries outside of the group must carry one. */
  async #tokened(space: Workspace, keys: readonly string[]): Promise<readonly Tokened[]> {
    const { layout, codec } = this.#known
    const found: Tokened[] = []
    for (const [at, value] of (await space.getMany(keys)).entries()) {
      if (value === undefined) continue
      const { token, body } = decodeStored(value)
      const entity = await codec.properties(value)
      checkIndexed(layout, entity)
      const isComplete = token !== undefined || layout.outside.length === 0
      const given = isComplete ? token : newToken()
      const stored: Bytes | undefined = isComplete ? undefined : encodeStored({ token: given, body })
      const change = stored && { key: keys[at] as string, value: stored }
      found.push({ entity, token: given, change })
    }
    return found
  }

  async #missingInside(space: Workspace, found: readonly Tokened[]): Promise<readonly GroupChange[]> {
    const { layout } = this.#known
    const entries = found.flatMap(({ entity }) =>
      layout.inside.map((index) => insideEntry(layout, index, entity)),
    )
    const there = await space.getMany(entries)
    return entries.filter((_, at) => there[at] === undefined).map((key) => ({ key, value: inIndex }))
  }

  #outsideOf(entity: Tokened['entity'], token: string | undefined): readonly OutsideEntry[] {
    const { layout } = this.#known
    if (token === undefined) return []
    const key = outsideEntry(layout, entity, token)
    return layout.outside.map((index) => ({ group: outsideGroup(layout, index, entity), key }))
  }

  async #missingOutside(entries: readonly OutsideEntry[]): Promise<readonly OutsideEntry[]> {
    if (entries.length === 0) return []
    const there = await this.#groups.read(entries, this.#call)
    return entries.filter((_, at) => there[at] === undefined)
  }
}

/** @throws {StoreError} `INVALID_VALUE` for an entity that lacks a property of an index */
function checkIndexed(layout: Layout, entity: Tokened['entity']): void {
  const { type, indexes } = layout
  try {
    for (const { on } of indexes) keyPartsOf(type.name, on, entity)
  } catch (cause) {
    if (!isStoreError(cause)) throw cause
    const id = type.id.map((name: string) => `${name} ${String(entity[name])}`).join(', ')
    const message = `The ${type.name} with ${id} cannot be in an index: ${cause.message} Delete it, create it with that property, and call reindex() again.`
    throw new StoreError('INVALID_VALUE', message, { cause })
  }
}

/** An entity, its token, and the change that gives it one. */
interface Tokened {
  readonly entity: Readonly<Record<string, unknown>>
  readonly token: string | undefined
  readonly change: GroupChange | undefined
}
