import type { GroupKey } from '@unikv/core'
import { checkIndexed, checkUnchanged } from '../contract/arguments.ts'
import { newToken } from '../groups/token.ts'
import {
  idText,
  insideEntry,
  isIndexed,
  type Layout,
  outsideEntry,
  outsideGroup,
  sweepKey,
} from '../layout/layout.ts'
import { decodeStored, encodeStored, type StoredEntity } from '../layout/stored-entity.ts'
import type { Known } from '../layout/types.ts'
import type { OutsideEntry } from '../outside/outside-index.ts'
import type { Workspace } from '../runs/workspace.ts'
import { exists, missing } from './refusals.ts'
import type { Entity, OpenParts } from './transaction-parts.ts'

const inIndex = Buffer.alloc(0)

/** Changes of entities in a transaction, and the entries outside of its group that follow from them. */
export class Changes {
  readonly #parts: OpenParts
  readonly #added: Map<string, OutsideEntry> = new Map()
  readonly #dropped: Map<string, OutsideEntry> = new Map()

  constructor(parts: OpenParts) {
    this.#parts = parts
  }

  /** Entries of indexes outside of groups for entities that were created. */
  get added(): readonly OutsideEntry[] {
    return [...this.#added.values()]
  }

  /** Those of entities that were removed. */
  get dropped(): readonly OutsideEntry[] {
    return [...this.#dropped.values()]
  }

  async insert({ layout, codec }: Known, place: GroupKey, entity: Entity): Promise<Entity> {
    checkIndexed(layout, entity)
    const body = await codec.encode(entity)
    const token = this.#tokenOf(layout, entity)
    if (token !== undefined) await this.#parts.wantEntries(entriesOf(layout, entity, token))
    const { group, key } = place
    const [space] = (await this.#parts.spaces.of([group])) as [Workspace]
    const [there, mark] = await space.getMany(token === undefined ? [key] : [key, sweepKey])
    if (there !== undefined) throw exists(layout.type)
    const isSwept = token !== undefined && this.#parts.memory.sweptSince(group, mark)
    this.#add(space, layout, entity, key, { token: isSwept ? this.#tokenOf(layout, entity) : token, body })
    return entity
  }

  async update({ layout, codec }: Known, { group, key }: GroupKey, entity: Entity): Promise<void> {
    const body = await codec.encode(entity)
    const [space] = (await this.#parts.spaces.of([group])) as [Workspace]
    const stored = await space.get(key)
    if (stored === undefined) throw missing(layout.type)
    checkUnchanged(layout, await codec.properties(stored), entity)
    this.#parts.checkOpen('update')
    space.put(key, encodeStored({ token: decodeStored(stored).token, body }))
  }

  /** Resolves to whether it was there. */
  async remove({ layout, codec }: Known, { group, key }: GroupKey): Promise<boolean> {
    const [space] = (await this.#parts.spaces.of([group])) as [Workspace]
    const stored = await space.get(key)
    if (stored === undefined) return false
    const entity = await codec.properties(stored)
    this.#remove(space, layout, entity, key, decodeStored(stored).token)
    return true
  }

  /** The token of a new entity, if entries outside of the group must carry it. With other keys of its indexes it is another entity. */
  #tokenOf(layout: Layout, entity: Entity): string | undefined {
    if (layout.outside.length === 0) return undefined
    const groups = layout.outside.map((index) => outsideGroup(layout, index, entity))
    return this.#parts.memory.tokenOf(groups.join('') + idText(layout, entity), newToken)
  }

  // Everything that may fail comes before the first change: a caller may catch the error, and commit the rest.

  #add(space: Workspace, layout: Layout, entity: Entity, key: string, { token, body }: StoredEntity): void {
    const stored = encodeStored({ token, body })
    const inside = insideEntries(layout, entity)
    const outside = entriesOf(layout, entity, token)
    this.#parts.checkOpen('create')
    space.put(key, stored)
    for (const entry of inside) space.put(entry, inIndex)
    for (const entry of outside) this.#added.set(`${entry.group}\n${entry.key}`, entry)
  }

  #remove(space: Workspace, layout: Layout, entity: Entity, key: string, token: string | undefined): void {
    const inside = insideEntries(layout, entity)
    const outside = entriesOf(layout, entity, token)
    this.#parts.checkOpen('delete')
    space.remove(key)
    for (const entry of inside) space.remove(entry)
    for (const entry of outside) {
      const name = `${entry.group}\n${entry.key}`
      // One that this transaction has created was never there.
      if (!this.#added.delete(name)) this.#dropped.set(name, entry)
    }
  }
}

function entriesOf(layout: Layout, entity: Entity, token: string | undefined): readonly OutsideEntry[] {
  if (token === undefined) return []
  const key = outsideEntry(layout, entity, token)
  const indexes = layout.outside.filter((index) => isIndexed(index, entity))
  return indexes.map((index) => ({ group: outsideGroup(layout, index, entity), key }))
}

function insideEntries(layout: Layout, entity: Entity): readonly string[] {
  const indexes = layout.inside.filter((index) => isIndexed(index, entity))
  return indexes.map((index) => insideEntry(layout, index, entity))
}
