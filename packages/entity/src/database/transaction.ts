import { StoreError } from '@unikv/core'
import type { AnyEntityType, Group } from '../definition/entity-type.ts'
import { newToken } from '../groups/token.ts'
import {
  checkGenerated,
  checkIds,
  checkNoSettings,
  checkPage,
  checkUnchanged,
  keyOfIndex,
} from './arguments.ts'
import type { IndexSettings } from './entity-db.ts'
import {
  counterPlace,
  entityKey,
  entityKeyOf,
  groupName,
  groupOf,
  idText,
  insideEntry,
  insidePrefix,
  isNumberedFirst,
  type Layout,
  outsideEntry,
  outsideGroup,
} from './layout.ts'
import type { OutsideEntry } from './outside-index.ts'
import type { RunMemory } from './run-memory.ts'
import { decodeStored, encodeStored, numberIn, type StoredEntity } from './stored-entity.ts'
import { Turns } from './turns.ts'
import type { Known, Types } from './types.ts'
import type { Workspace } from './workspace.ts'

const inIndex = Buffer.alloc(0)
/** An entity of any type. */
export type Entity = Readonly<Record<string, unknown>>

/** The parts of its database that a transaction needs. */
export interface TransactionParts {
  readonly types: Types
  readonly group: Group
  readonly space: Workspace
  readonly memory: RunMemory
  /** Takes a number of a counter outside of groups, in a transaction of its own. */
  readonly takeNumber: (counter: string) => Promise<number>
  /** Told of entries outside of the group that a creation needs; it may end the attempt, to be made again when they are there. */
  readonly wantEntries: (entries: readonly OutsideEntry[]) => void
}

/** The transaction that the function of `run` gets, an `EntityTransaction`. */
export class OpenTransaction {
  readonly #parts: TransactionParts
  readonly #group: string
  readonly #added: Map<string, OutsideEntry> = new Map()
  readonly #dropped: Map<string, OutsideEntry> = new Map()
  /** Changes that were begun together see each other: two creations cannot take one number, or one id. */
  readonly #turns: Turns = new Turns()
  #isOpen = true

  constructor(parts: TransactionParts) {
    this.#parts = parts
    this.#group = groupName(parts.group)
  }

  /** Entries of indexes outside of groups for entities that were created. */
  get added(): readonly OutsideEntry[] {
    return [...this.#added.values()]
  }

  /** Those of entities that were removed. */
  get dropped(): readonly OutsideEntry[] {
    return [...this.#dropped.values()]
  }

  end(): void {
    this.#isOpen = false
  }

  async get(type: AnyEntityType, id: unknown, settings?: undefined): Promise<Entity | undefined> {
    const { layout, codec } = this.#known('get', type, settings)
    const stored = await this.#parts.space.get(this.#keyOf('get', layout, id))
    return (await codec.decode(stored)) as Entity | undefined
  }

  async getMany(
    type: AnyEntityType,
    ids: readonly unknown[],
    settings?: undefined,
  ): Promise<(Entity | undefined)[]> {
    const { layout, codec } = this.#known('getMany', type, settings)
    checkIds(layout, ids)
    const keys = ids.map((id) => this.#keyOf('getMany', layout, id))
    return (await codec.decodeAll(await this.#parts.space.getMany(keys))) as (Entity | undefined)[]
  }

  async byIndex(
    type: AnyEntityType,
    index: unknown,
    key: unknown,
    settings: IndexSettings = {},
  ): Promise<Entity[]> {
    const { layout, codec } = this.#known('byIndex', type)
    checkPage(settings)
    const { index: found, values, limit, after } = keyOfIndex(layout, index, key, settings)
    if (!found.isInside)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `The index on ${found.name} of ${type.name} is outside of its groups, so a transaction cannot read it. Use byIndex() of the database.`,
      )
    this.#checkGroup('byIndex', layout, values)
    const prefix = insidePrefix(layout, found, values)
    const from = after === undefined ? undefined : insideEntry(layout, found, { ...after, ...values })
    const entries = await this.#parts.space.list({ prefix, after: from, limit })
    const keys = entries.map((entry) => entityKeyOf(layout, entry.key.slice(prefix.length)))
    return (await codec.decodeAll(await this.#parts.space.getMany(keys))) as Entity[]
  }

  async create(type: AnyEntityType, given: Entity, settings?: undefined): Promise<Entity> {
    const { layout } = this.#known('create', type, settings)
    checkGenerated(layout, given)
    if (isNumberedFirst(layout)) throw numberedFirst(type)
    this.#checkGroup('create', layout, given)
    return this.#turns.take(async () => this.#insert(type, await this.#free(layout, given)))
  }

  /** Add an entity that has its generated number. */
  insert(type: AnyEntityType, entity: Entity): Promise<Entity> {
    return this.#turns.take(() => this.#insert(type, entity))
  }

  async update(type: AnyEntityType, entity: Entity, settings?: undefined): Promise<void> {
    checkNoSettings('update', settings)
    return this.#turns.take(() => this.#update(type, entity))
  }

  async delete(type: AnyEntityType, id: unknown, settings?: undefined): Promise<boolean> {
    checkNoSettings('delete', settings)
    return this.#turns.take(() => this.#delete(type, id))
  }

  async #insert(type: AnyEntityType, entity: Entity): Promise<Entity> {
    const { layout, codec } = this.#known('create', type)
    const key = this.#keyOf('create', layout, entity)
    const body = await codec.encode(entity)
    const token = this.#tokenOf(layout, entity)
    this.#parts.wantEntries(entriesOf(layout, entity, token))
    if ((await this.#parts.space.get(key)) !== undefined) throw exists(type)
    this.#add(layout, entity, key, { token, body })
    return entity
  }

  async #update(type: AnyEntityType, entity: Entity): Promise<void> {
    const { layout, codec } = this.#known('update', type)
    const key = this.#keyOf('update', layout, entity)
    const body = await codec.encode(entity)
    const stored = await this.#parts.space.get(key)
    if (stored === undefined) throw missing(type)
    checkUnchanged(layout, await codec.properties(stored), entity)
    this.#isUsable('update')
    this.#parts.space.put(key, encodeStored({ token: decodeStored(stored).token, body }))
  }

  async #delete(type: AnyEntityType, id: unknown): Promise<boolean> {
    const { layout, codec } = this.#known('delete', type)
    const key = this.#keyOf('delete', layout, id)
    const stored = await this.#parts.space.get(key)
    if (stored === undefined) return false
    const entity = await codec.properties(stored)
    this.#isUsable('delete')
    this.#remove(layout, entity, key, decodeStored(stored).token)
    return true
  }

  /** The entity with a generated number that no entity has: one may have it where the counter was elsewhere, before an index was added. */
  async #free(layout: Layout, given: Entity): Promise<Entity> {
    for (;;) {
      const entity = await this.#numbered(layout, given)
      if (layout.type.generated === undefined) return entity
      if ((await this.#parts.space.get(this.#keyOf('create', layout, entity))) === undefined) return entity
    }
  }

  /** The entity with its generated number. */
  async #numbered(layout: Layout, given: Entity): Promise<Entity> {
    const { generated } = layout.type
    if (generated === undefined) return { ...given }
    const { group, key } = counterPlace(layout, given)
    const number = layout.countsInside
      ? await this.#countInside(key)
      : await this.#parts.memory.numberOf(group, () => this.#parts.takeNumber(group))
    return { ...given, [generated]: number }
  }

  async #countInside(key: string): Promise<number> {
    const next = numberIn(await this.#parts.space.get(key)) + 1
    this.#isUsable('create')
    this.#parts.space.put(key, Buffer.from(String(next)))
    return next
  }

  /** The token of a new entity, if entries outside of the group must carry it. With other keys of its indexes it is another entity. */
  #tokenOf(layout: Layout, entity: Entity): string | undefined {
    if (layout.outside.length === 0) return undefined
    const groups = layout.outside.map((index) => outsideGroup(layout, index, entity))
    return this.#parts.memory.tokenOf(groups.join('') + idText(layout, entity), newToken)
  }

  #add(layout: Layout, entity: Entity, key: string, { token, body }: StoredEntity): void {
    this.#isUsable('create')
    const { space } = this.#parts
    space.put(key, encodeStored({ token, body }))
    for (const index of layout.inside) space.put(insideEntry(layout, index, entity), inIndex)
    for (const entry of entriesOf(layout, entity, token))
      this.#added.set(`${entry.group}\n${entry.key}`, entry)
  }

  #remove(layout: Layout, entity: Entity, key: string, token: string | undefined): void {
    const { space } = this.#parts
    space.remove(key)
    for (const index of layout.inside) space.remove(insideEntry(layout, index, entity))
    for (const entry of entriesOf(layout, entity, token)) {
      const name = `${entry.group}\n${entry.key}`
      // One that this transaction has created was never there.
      if (!this.#added.delete(name)) this.#dropped.set(name, entry)
    }
  }

  #known(operation: string, type: AnyEntityType, settings?: undefined): Known {
    this.#isUsable(operation)
    checkNoSettings(operation, settings)
    return this.#parts.types.of(operation, type)
  }

  #isUsable(operation: string): void {
    if (this.#isOpen) return
    const message = `tx.${operation}() was called after the end of its transaction. Await every call inside the function of run().`
    throw new StoreError('INVALID_ARGUMENT', message, { operation })
  }

  #keyOf(operation: string, layout: Layout, id: unknown): string {
    const key = entityKey(layout, id)
    this.#checkGroup(operation, layout, id)
    return key
  }

  #checkGroup(operation: string, layout: Layout, id: unknown): void {
    if (groupName(groupOf(layout, id)) === this.#group) return
    const { name, groupBy } = layout.type
    const message = `This ${name} is not in the group of the transaction: its ${groupBy.join(', ')} differ. Run another transaction for it.`
    throw new StoreError('INVALID_ARGUMENT', message, { operation })
  }
}

function entriesOf(layout: Layout, entity: Entity, token: string | undefined): readonly OutsideEntry[] {
  if (token === undefined) return []
  const key = outsideEntry(layout, entity, token)
  return layout.outside.map((index) => ({ group: outsideGroup(layout, index, entity), key }))
}

function exists({ name }: AnyEntityType): StoreError {
  return new StoreError('CONDITION_FAILED', `There is already a ${name} with this id.`, {
    operation: 'create',
  })
}

function numberedFirst({ name, generated }: AnyEntityType): StoreError {
  const message = `The generated \`${generated}\` of ${name} names its group, so a transaction on a group cannot create one. Use create() of the database.`
  return new StoreError('INVALID_ARGUMENT', message, { operation: 'create' })
}

function missing({ name }: AnyEntityType): StoreError {
  return new StoreError('CONDITION_FAILED', `There is no ${name} with this id. Use create() for a new one.`, {
    operation: 'update',
  })
}
