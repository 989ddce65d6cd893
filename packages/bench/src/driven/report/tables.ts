import { histogramOf } from '@unikv/core/histogram'
import { FileNames } from '../../report/files/file-names.ts'
import type { Table } from '../../report/table.ts'
import type { DrivenResult, RunSample, TargetResult } from '../result.ts'
import { operationText, targetKey } from './words.ts'

/** One in so many operations takes longer: p50, p75, p90, p95, p99, p99.5, p99.9, p99.95, p99.99. */
const shares = [2, 4, 10, 20, 100, 200, 1_000, 2_000, 10_000] as const

/** A shorter last interval tells no rate. */
const shortestMs = 100

/** Columns of numbers: rates and latencies over time, and for each operation its percentiles. */
export function tables(result: DrivenResult): readonly Table[] {
  const names = new FileNames()
  const found = [
    overTime(result, rates),
    overTime(result, p99s),
    ...operationsIn(result).map((name) => percentilesOf(result, name)),
  ]
  return found.map((table) => ({ ...table, name: names.claim(table.name) }))
}

/** Whether operations began by a schedule, so that there are response times. */
export function isAtRate(targets: DrivenResult['targets']): boolean {
  return targets.some(({ runs }) => runs.some(({ open }) => open !== null))
}

/** Operations and outcomes of any store, in the order of the result. */
export function operationsIn({ targets }: DrivenResult): readonly string[] {
  return [
    ...new Set(
      targets.flatMap(({ operations }) => operations.filter(({ count }) => count > 0).map(operationText)),
    ),
  ]
}

/** Key of the percentiles of an operation. */
export function percentilesKey(operation: string): string {
  return `percentiles/${operation}`
}

interface OverTime {
  readonly key: string
  readonly title: string
  readonly unit: string
  readonly valueOf: (interval: TargetResult['runs'][number]['series'][number]) => number | null
}

const rates: OverTime = {
  key: 'rate',
  title: 'Operations a second over time, all runs one after the other',
  unit: 'per_s',
  valueOf: ({ all, lengthMs }) => (all.operations / lengthMs) * 1_000,
}

const p99s: OverTime = {
  key: 'p99',
  title: 'The 99th percentile of the times of all operations over time, all runs one after the other',
  unit: 'p99_ms',
  valueOf: ({ all }) => all.p99Ms,
}

function overTime({ targets }: DrivenResult, { key, title, unit, valueOf }: OverTime): Table {
  const curves = targets.map((target) => seriesOf(target, valueOf))
  const wanted = key === rates.key ? schedulesOf(targets) : []
  const length = Math.max(0, ...curves.map((curve) => curve.length))
  return {
    key,
    name: `${key}-over-time`,
    title,
    columns: [
      'second',
      ...targets.map((target) => `${targetKey(target)}_${unit}`),
      ...wanted.map(({ phase }) => `${phase === null ? 'target' : `target_${phase}`}_${unit}`),
    ],
    rows: Array.from({ length }, (_, second) => [
      second,
      ...curves.map((curve) => curve[second] ?? null),
      ...wanted.map(({ rates: wantedRates }) => wantedRates[second] ?? null),
    ]),
  }
}

/** The rates that a schedule asked for, second by second. */
export interface ScheduledRates {
  readonly phase: string | null
  readonly rates: readonly number[]
}

/** The schedule of each phase, by the store with the most seconds: stores share it. */
export function schedulesOf(targets: DrivenResult['targets']): readonly ScheduledRates[] {
  return [...new Set(targets.map(({ phase }) => phase))].flatMap((phase) => {
    const found = targets.filter((target) => target.phase === phase).map(scheduledRates)
    const longest = found.sort((a, b) => b.length - a.length)[0] ?? []
    return longest.length === 0 ? [] : [{ phase, rates: longest }]
  })
}

function scheduledRates({ runs }: TargetResult): readonly number[] {
  return runs.flatMap(({ series, open }) =>
    series.flatMap((interval, index) => {
      const target = open?.targets[index]
      return target === undefined ? [] : inSeconds(interval, target)
    }),
  )
}

/** A second in which nothing succeeded has no times, and still is a second. */
function seriesOf({ runs }: TargetResult, valueOf: OverTime['valueOf']): readonly (number | null)[] {
  return runs.flatMap(({ series }) => series.flatMap((interval) => inSeconds(interval, valueOf(interval))))
}

/** Seconds that a run takes in tables over time. */
export function secondsOf({ series }: Pick<RunSample, 'series'>): number {
  return series.flatMap((interval) => inSeconds(interval, 0)).length
}

/** The value of an interval for each of its seconds: those of a long run last several. */
function inSeconds<T>({ lengthMs }: { readonly lengthMs: number }, value: T): readonly T[] {
  if (lengthMs < shortestMs) return []
  return Array.from({ length: Math.max(1, Math.round(lengthMs / 1_000)) }, () => value)
}

function percentilesOf(result: DrivenResult, operation: string): Table {
  const isOpen = isAtRate(result.targets)
  const kinds = isOpen ? (['service', 'response'] as const) : (['service'] as const)
  const columns = result.targets.flatMap((target) =>
    kinds.map((kind) => ({
      name: `${targetKey(target)}_${kind}_ms`,
      at: percentilesAt(target, operation, kind),
    })),
  )
  return {
    key: percentilesKey(operation),
    name: `percentiles-${operation.replace(/[^\w]+/g, '-').replace(/-$/, '')}`,
    title: `Times of ${operation}: one in so many operations took longer`,
    columns: ['one_in', ...columns.map(({ name }) => name)],
    rows: shares
      .map((oneIn) => [oneIn, ...columns.map(({ at }) => at(oneIn))])
      .filter(([, ...values]) => values.some((value) => value !== null)),
  }
}

/** Percentiles of all runs of a store together, where ten values lie beyond. */
function percentilesAt(
  { runs }: TargetResult,
  operation: string,
  kind: 'service' | 'response',
): (oneIn: number) => number | null {
  const found = runs.flatMap(({ kinds }) =>
    kinds.filter((one) => operationText(one) === operation).flatMap((one) => one[kind] ?? []),
  )
  const [first, ...others] = found.map(histogramOf)
  if (first === undefined) return () => null
  for (const other of others) first.merge(other)
  return (oneIn) => (first.count < 10 * oneIn ? null : first.percentile(100 - 100 / oneIn) / 1e6)
}
