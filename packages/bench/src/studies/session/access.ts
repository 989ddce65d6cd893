import { type Bytes, json, type KeyValue, keyValue, type Store } from '@unikv/core'
import { invalidConfig, namespaceOf } from '@unikv/core/adapter'
import { type EntityDb, entities, profiles } from '@unikv/entity'
import { transactional } from '@unikv/transaction'
import { auction } from '../../session/auction/benchmark.ts'
import { auctionBy } from '../../session/auction/by-entities.ts'
import { auctionBySql, auctionTables } from '../../session/auction/by-sql.ts'
import { checkAuction } from '../../session/auction/check.ts'
import { auctionEntityData, auctionSqlData } from '../../session/auction/contents.ts'
import { groupedAuction, singleAuction } from '../../session/auction/entities.ts'
import { auctionPopulationOf, auctionSqlPopulation } from '../../session/auction/population.ts'
import { micro } from '../../session/micro/benchmark.ts'
import { groupedMicro, microAccess, singleMicro } from '../../session/micro/by-entities.ts'
import { microBySql, microTables } from '../../session/micro/by-sql.ts'
import { microExecutions } from '../../session/micro/calls.ts'
import { microPopulationOf, microSqlPopulation } from '../../session/micro/population.ts'
import type { Benchmark } from '../../session/model/benchmark.ts'
import type { Population } from '../../session/run/populate.ts'
import { sqlDbOf } from '../../session/sql/sql-db-of.ts'
import type { SessionConfig } from './config.ts'

/** The part of a configuration that says how data is reached. */
type AccessedJob = Pick<SessionConfig, 'benchmark' | 'access' | 'model' | 'timeoutMs'>

/** Where the data of a job is. */
export interface DataPlace {
  readonly store: Store<Bytes>
  /** The run's own namespace. */
  readonly keys: KeyValue<string, Bytes>
  /** Begins the names of tables of the run. */
  readonly prefix: string
}

/**
 * Open the data access of a job, with its benchmark and the data that is there from the start.
 *
 * @throws {StoreError} `INVALID_CONFIG` for SQL on a store that has none
 */
export function openAccess(config: AccessedJob, place: DataPlace): OpenedAccess {
  const opened = config.access.style === 'sql' ? bySql(config, place) : byEntities(config, place)
  return opened as unknown as OpenedAccess
}

/** Entities in groups, or each in a record of its own with transactions over records. */
function byEntities(config: AccessedJob, place: DataPlace): OpenedAccess<EntityDb, unknown> {
  const { style, transactions, retry, joins } = config.access
  const areGrouped = style === 'entities'
  const auctionTypes = areGrouped ? groupedAuction : singleAuction
  const microTypes = areGrouped ? groupedMicro : singleMicro
  const db = entities(
    areGrouped ? place.keys : jointKeys(place),
    config.benchmark === 'auction' ? auctionTypes.all : microTypes.all,
    { transactions: areGrouped ? transactions : 'records', retry, timeoutMs: config.timeoutMs },
  )
  const base = {
    db,
    control: db.control === 'locks' ? 'locks' : 'optimistic',
    statistics: () => db.statistics(),
    create: async () => {},
    // Records of native transactions are not in the run's namespace.
    drop: async () => void (await db.clear()),
  }
  if (config.benchmark === 'micro')
    return {
      ...base,
      benchmark: micro(microExecutions(microAccess(microTypes))),
      populations: microPopulationOf(microTypes, numbersOf(config)),
    }
  const data = auctionEntityData(auctionTypes)
  return {
    ...base,
    benchmark: auction(auctionBy(auctionTypes, joins)),
    populations: auctionPopulationOf(auctionTypes, numbersOf(config)),
    check: async () => (await checkAuction(db, data, usersOf(config))).problems,
  }
}

/** The run's own namespace, whose records take part in transactions; their log is in it. */
function jointKeys({ store, keys }: DataPlace): KeyValue<string, Bytes> {
  const inNamespace = <V>(kv: KeyValue<string, V>): KeyValue<string, V> =>
    namespaceOf(keys).reduce((outer, name) => outer.namespace(name), kv)
  const log = inNamespace(keyValue(store, [json()])).namespace('log')
  const joint: unknown = keyValue(store, [transactional({ log }) as never])
  return inNamespace(joint as KeyValue<string, Bytes>)
}

function bySql(config: AccessedJob, { store, prefix }: DataPlace): OpenedAccess {
  const isAuction = config.benchmark === 'auction'
  const tables = isAuction ? auctionTables : microTables
  if (store.name !== 'postgres' && store.name !== 'mysql')
    throw invalidConfig(
      `database.access: sql needs PostgreSQL, MySQL or MariaDB, and the store is ${store.name}. Use access entities.`,
    )
  const db = sqlDbOf(store, { tables, prefix, retry: profiles[config.access.retry] })
  const base = {
    db,
    control: 'SQL',
    statistics: () => db.statistics(),
    create: () => db.create(),
    drop: () => db.drop(),
  }
  const parts = isAuction
    ? {
        benchmark: auction(auctionBySql),
        populations: auctionSqlPopulation(numbersOf(config)),
        check: async () => (await checkAuction(db, auctionSqlData, usersOf(config))).problems,
      }
    : { benchmark: micro(microBySql), populations: microSqlPopulation(numbersOf(config)) }
  return { ...base, ...parts } as unknown as OpenedAccess
}

/** Parameters of the model that are numbers: the data is made by them, too. */
function numbersOf({ model }: AccessedJob): Record<string, number> {
  const numbers = Object.entries(model.parameters ?? {}).filter(([, value]) => typeof value === 'number')
  return Object.fromEntries(numbers) as Record<string, number>
}

function usersOf(config: AccessedJob): { readonly first: number; readonly count: number } {
  const { MIN_USER_ID = 1, USER_NUM = 100 } = numbersOf(config)
  return { first: MIN_USER_ID, count: USER_NUM }
}

/** The data access of a job, opened, with its benchmark. */
export interface OpenedAccess<Db = never, State = never> {
  readonly db: Db
  readonly benchmark: Benchmark<Db, State>
  readonly populations: readonly Population<Db>[]
  /** How conflicts are met, in a word. */
  readonly control: string
  /** Counts of transactions since it was opened. */
  statistics(): object
  /** Read everything, and tell what is wrong with it; empty for consistent data. @default nothing can be told */
  check?(): Promise<readonly string[]>
  /** Make tables, where there are tables. */
  create(): Promise<void>
  /** Remove them. */
  drop(): Promise<void>
}
