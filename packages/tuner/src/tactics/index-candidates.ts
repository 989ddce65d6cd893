import { queryNamed } from '@unikv/monitor'
import type { StoreWork, Work, WorkFigures } from '../observe/work.ts'
import type { Candidate, Change, Facts, Figure } from '../tactic.ts'
import {
  type Indexer,
  type IndexFacts,
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

/** Indexes for queries that the application declares. */
export function declared(facts: Facts<IndexFound>): readonly Candidate[] {
  return Object.keys(facts.work).flatMap((name) => {
    const query = queryNamed(name)
    const load = facts.work[name as Work]
    if (query === undefined || load === undefined) return []
    const at = { table: tableOf(query, facts.table), by: query.by }
    return [addition({ name, share: 1, load, work: name as Work }, at, facts)]
  })
}

/** Indexes for queries that the server tells of and the application does not declare: they are a part of the native calls. */
export function told({
  work,
  found: { tables, queries = {} },
  ...others
}: Facts<IndexFound>): readonly Candidate[] {
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
    figures: figuresOf(asked, { table, by }, its.records, facts.work),
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
  return refusalOf(table, its, by) ?? (its.records < leastRecords ? few : undefined)
}

function figuresOf(
  { name, load }: Asked,
  { table, by }: IndexAt,
  records: number,
  work: StoreWork,
): readonly Figure[] {
  const attributes = by.join(', ')
  const read = `so each query by ${attributes} reads all of them`
  return [
    {
      name: `records in ${table}; no index begins with ${attributes}, ${read}`,
      value: records,
      unit: 'records',
    },
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
    undoes: { tactic: 'add-index', change },
    ...(refused === undefined ? {} : { refused }),
  }
}

/** A report of each night would not have come yet. */
function youngServer(uptimeMs: number | undefined): string | undefined {
  if (uptimeMs === undefined || uptimeMs >= leastUptimeMs) return undefined
  return `The server has counted uses for ${Math.floor(uptimeMs / 3_600_000)} hours only. Less than two days say little.`
}

/** Indexes that no query uses. */
export function removals(facts: Facts<IndexFound>): readonly Candidate[] {
  const indexer = indexers[facts.kind]
  if (indexer === undefined) return []
  return Object.entries(facts.found.tables).flatMap(([table, its]) =>
    its.indexes.filter(isUnused).map((index) => removal(table, index, its, facts, indexer)),
  )
}

function isUnused({ isOfKey, isValid, uses, by }: IndexFacts): boolean {
  return !isOfKey && isValid && uses === 0 && !by.includes('?')
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
