import { isStoreError } from '@unikv/core'
import { queryNamed } from '@unikv/monitor'
import type { StoreWork, Work, WorkFigures } from '../observe/work.ts'
import type { Candidate, Change, Facts, Figure, Tactic, TunedStore } from '../tactic.ts'
import {
  type Indexer,
  type IndexFacts,
  type IndexPlan,
  indexName,
  refusalOf,
  serves,
  type TableFacts,
  type ToldQuery,
  tableOf,
} from './indexer.ts'
import { indexers } from './indexers.ts'

/** The tables of a store by name, as the index tactics see them. */
export interface IndexFound {
  readonly tables: { readonly [table: string]: TableFacts }
  /** Queries that the server tells of, by table. */
  readonly queries?: { readonly [table: string]: readonly ToldQuery[] } | undefined
}

/** Fewer records are read as quickly without an index. */
const leastRecords = 1000
/** An index finds so many records for a query where nothing is known of the values. */
const typicalMatches = 1000
/** Records that are put into an index in a second, where a server is slow. */
const recordsPerSecond = 150_000
/** Bytes of a record in an index. */
const bytesPerRecord = 40

/** Quicker queries need no index. */
const leastToldMs = 1
/** An index is unused if it was not used for so long. */
const leastUptimeMs = 2 * 86_400_000

const limitMs = 3_600_000

/** Adds an index for queries that wait for a scan of the whole table. */
export const addIndex: Tactic<IndexFound> = {
  name: 'add-index',
  limitMs,
  knowledge: {
    effects: [
      { on: 'queries', of: 'latency', times: [0.001, 0.1] },
      { on: 'writes', of: 'latency', times: [1.02, 1.3] },
      { on: 'all', of: 'disk', times: [1.05, 1.3] },
    ],
    cost: 'The server reads the whole table, about 10 s for a million records. The index takes disk, and each write takes a few per cent longer.',
    source:
      'PaSTA (Preuveneers and Joosen 2020), Table 5 and Figure 12: 2,667 ms to 4.8 ms, effective after 9 s.',
  },
  look: lookAtTables,
  applies: (facts) => [...declared(facts), ...told(facts)],
  carryOut: (change, at) => indexerOf(at).create(at.kv.native, planOf(change), at.signal),
  undo: (change, at) => indexerOf(at).drop(at.kv.native, planOf(change), at.signal),
  isDone: async (change, at) => (await found(change, at))?.isValid === true,
}

/** Drops an index that no query uses, where writes are slow. */
export const dropIndex: Tactic<IndexFound> = {
  name: 'drop-index',
  limitMs,
  knowledge: {
    effects: [
      { on: 'writes', of: 'latency', times: [0.8, 0.98] },
      { on: 'all', of: 'disk', times: [0.7, 0.95] },
    ],
    cost: 'A query that uses it seldom, such as a report at night, becomes slow. To make it again takes as long as at first.',
    source: 'PaSTA (Preuveneers and Joosen 2020), part 5.2.',
  },
  look: lookAtTables,
  applies: (facts) => {
    const indexer = indexers[facts.kind]
    if (indexer === undefined) return []
    return Object.entries(facts.found.tables).flatMap(([table, its]) =>
      its.indexes.filter(isUnused).map((index) => removal(table, index, its, facts, indexer)),
    )
  },
  carryOut: (change, at) => indexerOf(at).drop(at.kv.native, planOf(change), at.signal),
  undo: (change, at) => indexerOf(at).create(at.kv.native, planOf(change), at.signal),
  isDone: async (change, at) => (await found(change, at)) === undefined,
}

/** Indexes for queries that the application declares. */
function declared(facts: Facts<IndexFound>): readonly Candidate[] {
  return Object.keys(facts.work).flatMap((name) => {
    const query = queryNamed(name)
    const load = facts.work[name as Work]
    if (query === undefined || load === undefined) return []
    const at = { table: tableOf(query, facts.table), by: query.by }
    return [addition({ name, share: 1, load, work: name as Work }, at, facts)]
  })
}

/** Indexes for queries that the server tells of and the application does not declare: they are a part of the native calls. */
function told({ work, found: { tables, queries = {} }, ...others }: Facts<IndexFound>): readonly Candidate[] {
  const { native } = work
  if (native === undefined) return []
  const names = Object.keys(work).map((name) => queryNamed(name)?.by.toSorted().join())
  return Object.entries(queries).flatMap(([table, its]) =>
    its
      .filter(({ by, meanMs }) => meanMs > leastToldMs && !names.includes(by.toSorted().join()))
      .map(({ by, callsPerSecond, meanMs }) => {
        const time = native.callsPerSecond * native.meanMs
        const share = Math.min(1, (callsPerSecond * meanMs) / Math.max(time, 1e-9))
        const load = { callsPerSecond, p50Ms: meanMs }
        const asked = {
          name: `by ${by.join(',')}, as the server tells`,
          share,
          load,
          work: 'native',
        } as const
        return addition(asked, { table, by }, { work, found: { tables }, ...others })
      }),
  )
}

/** A kind of query that an index could serve. */
interface Asked {
  readonly name: string
  /** The part of the time of `work` that it takes. */
  readonly share: number
  readonly work: Work
  readonly load: Pick<WorkFigures, 'callsPerSecond' | 'p50Ms'>
}

function addition(asked: Asked, { table, by }: IndexAt, facts: Facts<IndexFound>): Candidate {
  const indexer = indexers[facts.kind]
  const its = facts.found.tables[table]
  const change: Change = { name: indexName(table, by), table, by: [...by] }
  const none = { change, title: `an index on ${by.join(', ')} of ${table}`, seconds: 0, figures: [] }
  const refused = refusedIndex(facts.kind, its, { table, by })
  if (refused !== undefined || indexer === undefined || its === undefined)
    return { ...none, ...(refused === undefined ? {} : { refused }) }
  const factor = Math.min(1, Math.max(0.01, typicalMatches / its.records))
  return {
    ...none,
    figures: figuresOf(asked, table, its.records, facts.work),
    how: indexer.how,
    seconds: its.records / recordsPerSecond,
    bytes: its.records * bytesPerRecord,
    latency: { [asked.work]: 1 - asked.share * (1 - factor), ...forWrites(facts.work, indexer.writeFactor) },
  }
}

/** Why an index cannot be made, or is not worth it. */
function refusedIndex(kind: string, its: TableFacts | undefined, { table, by }: IndexAt): string | undefined {
  if (indexers[kind] === undefined) return `${kind} has no secondary indexes that unikv could make.`
  if (its === undefined) return `The server has no table ${table} that this user may read.`
  const existing = its.indexes.find((index) => serves(index, by))
  if (existing !== undefined) return `There is one already: ${existing.name}.`
  const few = `${table} has only ${its.records} records: to read all is as quick.`
  return refusalOf(its, by) ?? (its.records < leastRecords ? few : undefined)
}

function figuresOf(
  { name, load }: Asked,
  table: string,
  records: number,
  work: StoreWork,
): readonly Figure[] {
  return [
    { name: `records of ${table}, all of which each query ${name} reads`, value: records, unit: 'records' },
    { name: `queries ${name}`, value: load.callsPerSecond, unit: 'calls/s' },
    { name: `median time of a query ${name}`, value: load.p50Ms, unit: 'ms' },
    { name: 'writes that would have to change the index too', value: writesIn(work), unit: 'calls/s' },
  ]
}

interface IndexAt {
  readonly table: string
  readonly by: readonly string[]
}

function removal(
  table: string,
  index: IndexFacts,
  { records, denied }: TableFacts,
  { work, server }: Facts<IndexFound>,
  { writeFactor }: Indexer,
): Candidate {
  const change: Change = { name: index.name, table, by: [...index.by] }
  const refused = denied ?? youngServer(server?.statistics.uptimeMs)
  return {
    change,
    title: `the removal of the index ${index.name} on ${table}, which no query uses`,
    latency: forWrites(work, 1 / writeFactor),
    seconds: 1,
    figures: [
      { name: `uses of ${index.name} since the server counts`, value: index.uses ?? 0, unit: 'times' },
      { name: 'writes that keep it up to date', value: writesIn(work), unit: 'calls/s' },
      { name: `records in ${table}`, value: records, unit: 'records' },
    ],
    undoes: { tactic: addIndex.name, change },
    ...(refused === undefined ? {} : { refused }),
  }
}

/** A report of each night would not have come yet. */
function youngServer(uptimeMs: number | undefined): string | undefined {
  if (uptimeMs === undefined || uptimeMs >= leastUptimeMs) return undefined
  return `The server has counted uses for ${Math.floor(uptimeMs / 3_600_000)} hours only. Less than two days say little.`
}

async function lookAtTables(at: TunedStore, work: StoreWork): Promise<IndexFound> {
  const indexer = indexers[at.kind]
  if (indexer === undefined) return { tables: {} }
  const named = Object.keys(work).flatMap((name) => {
    const query = queryNamed(name)
    return query === undefined ? [] : [tableOf(query, at.table)]
  })
  const tables = [...new Set([at.table, ...named])]
  const looked = await Promise.all(
    tables.map(async (table) => {
      const facts = await indexer.look(at.kv.native, table).catch(missing)
      // A server that does not let this user see its statements tells nothing.
      const queries = facts === undefined ? [] : await indexer.told?.(at.kv.native, table).catch(() => [])
      return facts === undefined ? [] : [{ table, facts, queries: queries ?? [] }]
    }),
  )
  const found = looked.flat()
  return {
    tables: Object.fromEntries(found.map(({ table, facts }) => [table, facts])),
    queries: Object.fromEntries(found.map(({ table, queries }) => [table, queries])),
  }
}

/** Queries may name a table that is not there: that says nothing about the other tables. */
function missing(error: unknown): undefined {
  if (!isStoreError(error) || error.code !== 'NOT_PREPARED') throw error
}

function isUnused({ isOfKey, isValid, uses, by }: IndexFacts): boolean {
  return !isOfKey && isValid && uses === 0 && !by.includes('?')
}

async function found(change: Change, at: TunedStore): Promise<IndexFacts | undefined> {
  const { name, table } = planOf(change)
  const { indexes } = await indexerOf(at).look(at.kv.native, table)
  return indexes.find((index) => index.name === name)
}

function forWrites(work: StoreWork, factor: number): Candidate['latency'] {
  const names = ['set', 'delete', 'increment'] as const
  return Object.fromEntries(names.filter((name) => work[name] !== undefined).map((name) => [name, factor]))
}

function writesIn(work: StoreWork): number {
  return ['set', 'delete', 'increment'].reduce(
    (sum, name) => sum + (work[name as Work]?.callsPerSecond ?? 0) * (work[name as Work]?.itemsPerCall ?? 1),
    0,
  )
}

function indexerOf({ kind }: TunedStore): Indexer {
  const indexer = indexers[kind]
  if (indexer === undefined) throw new Error(`${kind} has no indexer`)
  return indexer
}

function planOf(change: Change): IndexPlan {
  return change as unknown as IndexPlan
}
