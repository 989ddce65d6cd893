import type { Totals } from '@unikv/core'
import type { JointMember } from '@unikv/core/adapter'
import type {
  AnyEntityType,
  EntityOf,
  Group,
  IdOf,
  IndexKey,
  IndexOf,
  NewOf,
} from '../definition/entity-type.ts'
import type { RetryProfile } from '../retry/profiles.ts'
import type { RetryPolicy } from '../retry/retry-policy.ts'
import type { EntityCallSettings, EntityPage, EntityQuery, EntityTotals } from './entity-query.ts'

export type { EntityCallSettings } from './entity-query.ts'

/** Settings of `run` and of calls that change something. */
export interface RunSettings extends EntityCallSettings {
  /** @default that of the database */
  readonly retry?: RetryProfile | RetryPolicy | undefined
  /** Told of each attempt that lost a conflict, with the wait before the next one in milliseconds. */
  readonly onRetry?: ((attempt: number, waitMs: number) => void) | undefined
}

/** Which part of an index is wanted. */
export interface IndexSettings<E extends AnyEntityType = AnyEntityType> {
  /** Most entities. @default all */
  readonly limit?: number | undefined
  /** The id of the last entity of the page before. */
  readonly after?: IdOf<E> | undefined
}

/** Reads of entities. */
export interface EntityReads<S> {
  /** The entity with this id. */
  get<E extends AnyEntityType>(type: E, id: IdOf<E>, settings?: S): Promise<EntityOf<E> | undefined>
  /** The entities with these ids, in their order. */
  getMany<E extends AnyEntityType>(
    type: E,
    ids: readonly IdOf<E>[],
    settings?: S,
  ): Promise<(EntityOf<E> | undefined)[]>
  /** The entities with this key of an index, in the order of their ids. */
  byIndex<E extends AnyEntityType, const X extends IndexOf<E>>(
    type: E,
    index: X,
    key: IndexKey<E, X>,
    settings?: IndexSettings<E> & (S extends undefined ? unknown : S),
  ): Promise<EntityOf<E>[]>
}

/** Changes of entities. */
export interface EntityWrites<S> {
  /**
   * Add an entity. Resolves to it, with the generated id.
   *
   * @throws {StoreError} `CONDITION_FAILED` if there is one with this id
   */
  create<E extends AnyEntityType>(type: E, entity: NewOf<E>, settings?: S): Promise<EntityOf<E>>
  /**
   * Replace an entity. Its id and its indexed properties must stay as they are.
   *
   * @throws {StoreError} `CONDITION_FAILED` if there is none with this id
   */
  update<E extends AnyEntityType>(type: E, entity: EntityOf<E>, settings?: S): Promise<void>
  /** Remove an entity. Resolves to whether it was there. */
  delete<E extends AnyEntityType>(type: E, id: IdOf<E>, settings?: S): Promise<boolean>
}

/**
 * A transaction on one group, or on several. Its reads are of one state of a group, and see its own changes; those of several groups may be of different
 * times, and then it does not commit. It ends with the function that it was given to.
 */
export interface EntityTransaction extends EntityReads<undefined>, EntityWrites<undefined> {}

/** Counts since the database was opened. */
export interface EntityStatistics {
  /** Transactions that took effect, those that only read included. */
  readonly committed: number
  /** Attempts that lost a conflict. */
  readonly conflicts: number
  /** Attempts after the first. */
  readonly retries: number
  /** Transactions that lost their last attempt. */
  readonly givenUp: number
  /** Waiting before attempts, in milliseconds. */
  readonly waitedMs: number
}

/** Counts of one sweep. */
export interface SweepReport {
  /** Entries of indexes that were looked at. */
  readonly entries: number
  /** Entries without an entity, which were removed. */
  readonly dangling: number
  /** Groups without records, whose remains were removed. */
  readonly groups: number
}

/** Settings of `sweep`. */
export interface SweepSettings extends EntityCallSettings {
  /** Entries and groups that are younger stay, in milliseconds. If it is shorter than a creation takes, that creation runs again. @default 3,600,000 (an hour) */
  readonly olderThanMs?: number | undefined
}

/** Counts of one `reindex`. */
export interface ReindexReport {
  /** Entities that were looked at. */
  readonly entities: number
  /** Entries of indexes that were missing, and were added. */
  readonly entries: number
}

/** Settings of `reindex`. */
export interface ReindexSettings extends EntityCallSettings {
  /** Told how many entities have been looked at. */
  readonly onProgress?: ((entities: number) => void) | undefined
}

/** A database of entities over a KeyValue. */
export interface EntityDb
  extends EntityReads<EntityCallSettings>,
    EntityWrites<RunSettings>,
    JointMember<EntityTransaction> {
  /** How conflicts are met: found at the commit (`optimistic`), or avoided by locks (`locks`). */
  readonly control: 'optimistic' | 'locks'
  /**
   * Run a transaction on one group, or on a list of groups that change together. The function may run several times, so it should change nothing else. An
   * error that it throws rolls the transaction back, and is thrown here as it is.
   *
   * A list needs groups in records, and the layer `transactional` of `@unikv/transaction` next to the store. Entities whose generated id names their
   * group may be created, too: their groups join the list.
   *
   * @throws {StoreError} `OVERLOADED` if every attempt lost a conflict; `OUTCOME_UNKNOWN` if an answer was lost and it cannot be told
   * whether the transaction took effect; `TIMEOUT`, `ABORTED`: it did not; `UNSUPPORTED` for a list where records take no part in transactions
   */
  run<R>(
    group: Group | readonly Group[],
    work: (tx: EntityTransaction) => Promise<R>,
    settings?: RunSettings,
  ): Promise<R>
  /**
   * The first entities of a type for which all conditions hold, outside of transactions. Where `where` has equal values for the group or for an index
   * outside of groups, only its entities are read, as by `byIndex`; anything else needs `scan: true`, and a store that lists keys.
   *
   * ```ts
   * const { items } = await db.find(Bid, { where: { userId: 7, amount: { gte: 100 } }, orderBy: [{ desc: 'amount' }] })
   * ```
   *
   * @throws {StoreError} `UNSUPPORTED` for a query that would read all entities, and does not say `scan: true`
   */
  find<E extends AnyEntityType>(type: E, query: EntityQuery<E>): Promise<EntityPage<E>>
  /** How many entities there are for which all conditions hold, and the sum, the least and the greatest value of a property. They are read as by `find`. */
  aggregate<E extends AnyEntityType>(type: E, query: EntityTotals<E>): Promise<Totals>
  /** Counts of transactions since the database was opened. */
  statistics(): EntityStatistics
  /**
   * Remove everything in the KeyValue's namespace that entities have put there: groups, indexes and counters of every type. Namespaces inside keep theirs,
   * with both kinds of transactions, and records of other programs stay. Run nothing beside it. It needs a store that lists keys, and has no deadline unless one is given. Resolves to the number of groups.
   */
  clear(settings?: EntityCallSettings): Promise<number>
  /**
   * Add the entries that are missing in the indexes of a type, for an index that was added when there were entities already. Call it when every process
   * has the new index; it may run beside them, and again after an end. It needs a store that lists keys, and has no deadline unless one is given.
   */
  reindex<E extends AnyEntityType>(type: E, settings?: ReindexSettings): Promise<ReindexReport>
  /** Remove what crashed creations and deletions left behind; a small mark stays in each group of such an entity. It needs a store that lists keys. */
  sweep(settings?: SweepSettings): Promise<SweepReport>
}
