import { type Bytes, json, type KeyValue, keyValue } from '@unikv/core'
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
import { numbersOf } from '../../session/run/session-workload.ts'
import { sqlDbOf } from '../../session/sql/sql-db-of.ts'
import type { AccessedJob, DataPlace, OpenedAccess } from './opened-access.ts'
import { openOwnAccess } from './own-benchmark.ts'

/**
 * Open the data access of a job, with its benchmark and the data that is there from the start.
 *
 * @throws {StoreError} `INVALID_CONFIG` for SQL on a store that has none, and for a store that lacks what a module needs
 */
export async function openAccess(config: AccessedJob, place: DataPlace): Promise<OpenedAccess> {
  if (config.module !== null) return openOwnAccess(config, config.module, place)
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
      populations: microPopulationOf(microTypes, numbersOf(config.model)),
    }
  const data = auctionEntityData(auctionTypes)
  return {
    ...base,
    benchmark: auction(auctionBy(auctionTypes, joins)),
    populations: auctionPopulationOf(auctionTypes, numbersOf(config.model)),
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
        populations: auctionSqlPopulation(numbersOf(config.model)),
        check: async () => (await checkAuction(db, auctionSqlData, usersOf(config))).problems,
      }
    : { benchmark: micro(microBySql), populations: microSqlPopulation(numbersOf(config.model)) }
  return { ...base, ...parts } as unknown as OpenedAccess
}

function usersOf(config: AccessedJob): { readonly first: number; readonly count: number } {
  const { MIN_USER_ID = 1, USER_NUM = 100 } = numbersOf(config.model)
  return { first: MIN_USER_ID, count: USER_NUM }
}
