import type { GroupKey } from '@unikv/core'
import { StoreError, Turns } from '@unikv/core/adapter'
import { checkGenerated, checkIds, checkNoSettings, checkPage } from '../contract/arguments.ts'
import type { IndexSettings } from '../contract/entity-db.ts'
import { keyOfIndex } from '../contract/index-query.ts'
import { owned } from '../contract/owned.ts'
import type { AnyEntityType } from '../definition/entity-type.ts'
import {
  entityKeyOf,
  groupName,
  groupOf,
  insideEntry,
  insidePrefix,
  isNumberedFirst,
  type Layout,
  placeOf,
} from '../layout/layout.ts'
import type { Known } from '../layout/types.ts'
import type { OutsideEntry } from '../outside/outside-index.ts'
import { valuesAt } from '../runs/spaces.ts'
import type { Workspace } from '../runs/workspace.ts'
import { Changes } from './changes.ts'
import { Numbers } from './numbers.ts'
import { notInGroup, numberedFirst } from './refusals.ts'
import type { Entity, TransactionParts } from './transaction-parts.ts'
import { UnderWay } from './under-way.ts'

/** The transaction that the function of `run` gets, an `EntityTransaction`. */
export class OpenTransaction {
  readonly #parts: TransactionParts
  readonly #changes: Changes
  readonly #numbers: Numbers
  /** Changes that were begun together see each other: two creations cannot take one number, or one id. */
  readonly #turns: Turns = new Turns()
  readonly #underWay: UnderWay = new UnderWay()

  constructor(parts: TransactionParts) {
    this.#parts = parts
    const open = { ...parts, checkOpen: (operation: string) => this.#underWay.checkOpen(operation) }
    this.#changes = new Changes(open)
    this.#numbers = new Numbers(open)
  }

  /** Entries of indexes outside of groups for entities that were created. */
  get added(): readonly OutsideEntry[] {
    return this.#changes.added
  }

  /** Those of entities that were removed. */
  get dropped(): readonly OutsideEntry[] {
    return this.#changes.dropped
  }

  /** End it. Returns whether calls were still under way: the application did not wait for them. */
  end(): boolean {
    return this.#underWay.end()
  }

  /** Before the commit. Returns whether calls have come since the end: the function goes on somewhere. */
  seal(): Promise<boolean> {
    return this.#underWay.seal()
  }

  get(type: AnyEntityType, id: unknown, settings?: undefined): Promise<Entity | undefined> {
    return this.#underWay.track('get', async () => {
      const { layout, codec } = this.#known('get', type, settings)
      const [stored] = await valuesAt(this.#parts.spaces, [this.#placeOf('get', layout, id)])
      return (await codec.decode(stored)) as Entity | undefined
    })
  }

  getMany(
    type: AnyEntityType,
    ids: readonly unknown[],
    settings?: undefined,
  ): Promise<(Entity | undefined)[]> {
    return this.#underWay.track('getMany', async () => {
      const { layout, codec } = this.#known('getMany', type, settings)
      checkIds(layout, ids)
      const places = ids.map((id) => this.#placeOf('getMany', layout, id))
      return (await codec.decodeAll(await valuesAt(this.#parts.spaces, places))) as (Entity | undefined)[]
    })
  }

  byIndex(
    type: AnyEntityType,
    index: unknown,
    key: unknown,
    settings: IndexSettings = {},
  ): Promise<Entity[]> {
    return this.#underWay.track('byIndex', () => this.#byIndex(type, index, key, settings))
  }

  create(type: AnyEntityType, given: Entity, settings?: undefined): Promise<Entity> {
    return this.#underWay.track('create', async () => {
      const { layout } = this.#known('create', type, settings)
      checkGenerated(layout, given)
      const isJoining = isNumberedFirst(layout) && this.#parts.spaces.canJoin
      if (!isJoining && isNumberedFirst(layout)) throw numberedFirst(type)
      if (!isJoining) this.#groupOf('create', layout, given)
      const own = owned(given)
      return this.#inTurn(async () => this.#insert(type, await this.#numbers.free(layout, own)))
    })
  }

  /** Add an entity that has its generated number. */
  insert(type: AnyEntityType, entity: Entity): Promise<Entity> {
    return this.#underWay.track('create', () => this.#inTurn(() => this.#insert(type, entity)))
  }

  update(type: AnyEntityType, entity: Entity, settings?: undefined): Promise<void> {
    return this.#underWay.track('update', async () => {
      checkNoSettings('update', settings)
      const own = owned(entity)
      return this.#inTurn(async () => {
        const known = this.#known('update', type)
        return this.#changes.update(known, this.#placeOf('update', known.layout, own), own)
      })
    })
  }

  delete(type: AnyEntityType, id: unknown, settings?: undefined): Promise<boolean> {
    return this.#underWay.track('delete', async () => {
      checkNoSettings('delete', settings)
      const own = owned(id)
      return this.#inTurn(async () => {
        const known = this.#known('delete', type)
        return this.#changes.remove(known, this.#placeOf('delete', known.layout, own))
      })
    })
  }

  /** Changes go one after the other. They begin later than the call, so that one that is forgotten and fails is still under way at the end. */
  async #inTurn<T>(change: () => Promise<T>): Promise<T> {
    return this.#turns.take(['changes'], () => Promise.resolve().then(change))
  }

  async #byIndex(
    type: AnyEntityType,
    index: unknown,
    key: unknown,
    settings: IndexSettings,
  ): Promise<Entity[]> {
    const { layout, codec } = this.#known('byIndex', type)
    checkPage(settings)
    const { index: found, values, limit, after } = keyOfIndex(layout, index, key, settings)
    if (!found.isInside)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `The index on ${found.name} of ${type.name} is outside of its groups, so a transaction cannot read it. Use byIndex() of the database.`,
      )
    const [space] = (await this.#parts.spaces.of([this.#groupOf('byIndex', layout, values)])) as [Workspace]
    const prefix = insidePrefix(layout, found, values)
    let from = after === undefined ? undefined : insideEntry(layout, found, { ...after, ...values })
    const entities: unknown[] = []
    while (entities.length < limit) {
      const most = limit - entities.length
      const entries = await space.list({ prefix, after: from, limit: most })
      const keys = entries.map((entry) => entityKeyOf(layout, entry.key.slice(prefix.length)))
      const indexed = await codec.decodeIndexed(await space.getMany(keys), values)
      entities.push(...indexed.filter((entity) => entity !== undefined))
      if (entries.length < most) break
      from = entries.at(-1)?.key
    }
    return entities as Entity[]
  }

  async #insert(type: AnyEntityType, entity: Entity): Promise<Entity> {
    const known = this.#known('create', type)
    return this.#changes.insert(known, this.#placeOf('create', known.layout, entity), entity)
  }

  #known(operation: string, type: AnyEntityType, settings?: undefined): Known {
    this.#underWay.checkOpen(operation)
    checkNoSettings(operation, settings)
    return this.#parts.types.of(operation, type)
  }

  #placeOf(operation: string, layout: Layout, id: unknown): GroupKey {
    const place = placeOf(layout, id)
    this.#groupOf(operation, layout, id)
    return place
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` if the transaction is not on the group of an entity */
  #groupOf(operation: string, layout: Layout, id: unknown): string {
    const group = groupName(groupOf(layout, id))
    if (this.#parts.spaces.has(group)) return group
    throw notInGroup(operation, layout.type, this.#parts.spaces.canJoin)
  }
}
