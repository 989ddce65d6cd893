import { StoreError } from '@unikv/core'
import { adapterOf, within } from '@unikv/core/adapter'
import { AbortController } from '@unikv/core/platform'
import type { AnyManager } from '@unikv/manager'
import { queryNamed } from '@unikv/monitor'
import type { Violation } from '@unikv/monitor/recorder'
import { type Decision, decide } from '../decide/decide.ts'
import { Memory } from '../decide/memory.ts'
import type { StoreWork, Work, WorkFigures } from '../observe/work.ts'
import type { Tactic } from '../tactic.ts'
import { builtIn } from '../tactics/built-in.ts'
import { tableOf } from '../tactics/indexer.ts'
import { indexers } from '../tactics/indexers.ts'
import { optionsFor } from './options-for.ts'
import { placeOf } from './place-of.ts'

/** A load that is expected, and the promise that it should keep. */
export interface AdviceQuery {
  /** The store in the manager. */
  readonly store: string
  /** Calls a second, by operation or query: `{ read: 500, 'by ip': 20 }`. */
  readonly calls: { readonly [work: string]: number }
  /** Milliseconds that a call takes now, by operation or query. @default what a read takes when it is tried, and a scan for a query */
  readonly takes?: { readonly [work: string]: number } | undefined
  readonly valueBytes?: number | undefined
  readonly hitRate?: number | undefined
  /** The operation or query of the promise. @default the one that takes most of the time */
  readonly operation?: Work | undefined
  readonly percentile?: number | undefined
  readonly belowMs: number
}

/** Milliseconds in which a server looks at a record, in a scan of all. */
const scanMs = 0.0004
/** The slowest of a hundred calls takes so many times the mean, if times fall exponentially. */
const slowest = 4.6
const tries = 10
const assumedRecords = 100_000

/** Decide about a load that is expected, with the knowledge of the tuner. Changes nothing. */
export async function advise(
  manager: AnyManager,
  query: AdviceQuery,
  tactics: readonly Tactic[] = builtIn,
): Promise<Advice> {
  const place = placeOf(query.store, manager)
  if (place === undefined)
    throw new StoreError('INVALID_ARGUMENT', `The manager has no store ${query.store}.`)
  const at = { ...place, signal: new AbortController().signal }
  const known = await recordsOf(at, at.table)
  const records = known ?? assumedRecords
  const readMs = query.takes?.['read'] ?? (await meanPing(at.kv))
  const tables = await recordsByQuery(at, query)
  const work = Object.fromEntries(
    Object.entries(query.calls).map(([name, callsPerSecond]) => {
      const scanned = readMs + (tables.get(name) ?? records) * scanMs
      const guess = tables.has(name) ? scanned : readMs * (name === 'read' ? 1 : 1.5)
      return [name, figures(callsPerSecond, query.takes?.[name] ?? guess, name, query)]
    }),
  )
  const whole = withNative(work) as StoreWork
  const configuration = manager.configuration.stores[query.store] ?? {}
  const server = { at: 0, statistics: { records } }
  const errors: unknown[] = []
  const options = await optionsFor(tactics, at, { configuration, work: whole, server }, (error) =>
    errors.push(error),
  )
  if (errors.length > 0) throw errors[0]
  const trouble = { type: 'violation', store: query.store, violation: violationIn(work, query) } as const
  const decision = decide({ trouble, options, work: whole, policies: [], memory: new Memory(), now: 0 })
  return { ...decision, records: known }
}

/** A decision about a load that is expected. */
export interface Advice extends Decision {
  /** Records of the store's own table; `undefined`: they are not known, and 100,000 are assumed. */
  readonly records: number | undefined
}

type Place = NonNullable<ReturnType<typeof placeOf>> & { readonly signal: AbortSignal }

async function recordsOf({ kv, kind }: Place, table: string): Promise<number | undefined> {
  const facts = await indexers[kind]?.look(kv.native, table).catch(() => undefined)
  if (facts !== undefined) return facts.records
  const statistics = await adapterOf(kv)
    .statistics?.(within(5000, {}))
    .catch(() => undefined)
  return statistics?.records
}

/** Records of the table of each query that is expected. */
async function recordsByQuery(
  at: Place,
  { calls }: AdviceQuery,
): Promise<ReadonlyMap<string, number | undefined>> {
  const found = Object.keys(calls).map(async (name): Promise<[string, number | undefined][]> => {
    const query = queryNamed(name)
    return query === undefined ? [] : [[name, await recordsOf(at, tableOf(query, at.table))]]
  })
  return new Map((await Promise.all(found)).flat())
}

async function meanPing(kv: Place['kv']): Promise<number> {
  await kv.ping() // the first one connects
  let sum = 0
  for (let i = 0; i < tries; i += 1) sum += await kv.ping()
  return sum / tries
}

function figures(callsPerSecond: number, meanMs: number, name: string, query: AdviceQuery): WorkFigures {
  return {
    callsPerSecond,
    itemsPerCall: 1,
    bytesPerCall: query.valueBytes ?? 0,
    meanMs,
    p50Ms: meanMs * 0.7,
    p99Ms: meanMs * slowest,
    maxMs: meanMs * slowest,
    errorShare: 0,
    hitRate: name === 'read' ? (query.hitRate ?? 0) : 0,
  }
}

/** Queries are native calls. */
function withNative(work: { readonly [name: string]: WorkFigures }): {
  readonly [name: string]: WorkFigures
} {
  const queries = Object.entries(work).filter(([name]) => name.startsWith('by '))
  const calls = queries.reduce((sum, [, its]) => sum + its.callsPerSecond, 0)
  const time = queries.reduce((sum, [, its]) => sum + its.callsPerSecond * its.meanMs, 0)
  const [, first] = queries[0] ?? []
  return first === undefined
    ? work
    : { ...work, native: { ...first, callsPerSecond: calls, meanMs: time / calls } }
}

function violationIn(work: { readonly [name: string]: WorkFigures }, query: AdviceQuery): Violation {
  const dearest = Object.entries(work).toSorted(
    ([, a], [, b]) => b.callsPerSecond * b.meanMs - a.callsPerSecond * a.meanMs,
  )
  const operation = query.operation ?? (dearest[0]?.[0] as Work)
  const { percentile = 99, belowMs, store } = query
  const its = work[operation]
  const found = its === undefined ? 0 : percentile <= 50 ? its.p50Ms : its.p99Ms
  const policy = { store, operation, percentile, belowMs }
  return { policy, found, limit: belowMs, calls: its?.callsPerSecond ?? 0, sinceAt: 0 }
}
