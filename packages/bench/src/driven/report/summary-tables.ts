import type { ReportTable } from '../../report/report-table.ts'
import { percent } from '../../report/words/percent.ts'
import { formatCount, formatMs, noIntervalText } from '../../report/words/units.ts'
import type { Averaged, DrivenResult, Latency, OperationResult, TargetResult } from '../result.ts'
import { isAtRate } from './tables.ts'
import { foundText, operationText, targetText } from './words.ts'

/** Throughput of the stores, then every operation. */
export function summaryTables(result: DrivenResult): readonly ReportTable[] {
  const isOpen = isAtRate(result.targets)
  const times = isOpen ? 'response times, from the intended start' : 'service times'
  return [
    throughput(result),
    latencies(`Operations, ${times}`, result, ({ service, response }) => response ?? service),
    ...(isOpen ? [latencies('Operations, service times', result, ({ service }) => service)] : []),
    ...failures(result),
    ...resets(result),
    ...(result.thresholds.length > 0 ? [thresholds(result)] : []),
  ]
}

function thresholds(result: DrivenResult): ReportTable {
  return {
    title: 'Thresholds: the run fails if …',
    head: ['ok', 'store', 'fails if', 'found'],
    names: 3,
    rows: result.thresholds.map(({ store, text, found, isCrossed }) => [
      found === null ? '?' : isCrossed ? '✗' : '✓',
      store,
      text,
      foundText(text, found),
    ]),
  }
}

/** Failures by operation and code, the most frequent ones first. */
function failures({ targets }: DrivenResult): readonly ReportTable[] {
  const rows = targets.flatMap((target) =>
    target.operations.flatMap((operation) =>
      Object.entries(operation.errorCodes)
        .sort(([, one], [, other]) => other - one)
        .map(([code, count]) => [targetText(target), operation.name, code, count.toLocaleString('en-US')]),
    ),
  )
  if (rows.length === 0) return []
  return [
    {
      title: 'Failures by the code of the error',
      head: ['store', 'operation', 'code', 'failures'],
      names: 3,
      rows,
    },
  ]
}

function throughput({ targets }: DrivenResult): ReportTable {
  const hasMisses = targets.some((target) => missesOf(target) > 0)
  return {
    title: 'Operations a second, all kinds together',
    head: [
      'store',
      'ops/s',
      '± 95 %',
      ...(hasMisses ? ['misses'] : []),
      'failures',
      'ended late',
      'load, records/s',
    ],
    rows: targets.map(({ store, phase, rate, operations, load }) => [
      targetText({ store, phase }),
      formatCount(rate.mean),
      halfWidthText(rate),
      ...(hasMisses ? [`${percent(missesOf({ operations }))} %`] : []),
      String(operations.reduce((sum, { errors }) => sum + errors, 0)),
      String(operations.reduce((sum, { late }) => sum + late, 0)),
      load.elapsedMs === 0 || load.records === 0 ? '–' : formatCount((load.records / load.elapsedMs) * 1_000),
    ]),
  }
}

/** The share of operations that found no record. */
function missesOf({ operations }: Pick<TargetResult, 'operations'>): number {
  const all = operations.reduce((sum, { count }) => sum + count, 0)
  const missed = operations.reduce((sum, { count, outcome }) => (outcome === 'miss' ? sum + count : sum), 0)
  return all === 0 ? 0 : missed / all
}

/** Loading, keeping and bringing back the records, where that was asked for. */
function resets({ targets }: DrivenResult): readonly ReportTable[] {
  const stores = [...new Map(targets.map((target) => [target.store, target])).values()]
  const rows = stores.flatMap(({ store, load, reset }) =>
    reset === null
      ? []
      : [
          [
            store,
            formatMs(load.elapsedMs),
            formatMs(reset.saveMs),
            formatMs(reset.restoreMs.mean),
            reset.way,
          ],
        ],
  )
  if (rows.length === 0) return []
  const title = 'Loading the records, keeping them, and bringing them back before each run'
  return [{ title, head: ['store', 'load', 'keep', 'bring back', 'by'], rows }]
}

function latencies(
  title: string,
  { targets }: DrivenResult,
  timesOf: (operation: OperationResult) => Latency,
): ReportTable {
  return {
    title,
    head: ['store', 'operation', 'ops/s', 'mean', 'p50', 'p95', 'p99', 'p99.9', 'max'],
    names: 2,
    rows: targets.flatMap((target) =>
      target.operations.map((operation) => {
        const times = timesOf(operation)
        return [
          targetText(target),
          operationText(operation),
          formatCount(operation.rate.mean),
          ...cells(operation, times),
        ]
      }),
    ),
  }
}

function cells(
  { count }: OperationResult,
  { meanMs, p50Ms, p95Ms, p99Ms, p999Ms, maxMs }: Latency,
): string[] {
  if (count === 0) return ['–', '–', '–', '–', '–', '–']
  return [meanMs.mean, p50Ms, p95Ms, p99Ms, p999Ms, maxMs].map((ms) => (ms === null ? '–' : formatMs(ms)))
}

/** The half-width of an interval, if there are runs enough for one. */
function halfWidthText({ mean, halfWidth, runs }: Averaged): string {
  return halfWidth === null || halfWidth >= mean ? noIntervalText(runs.length) : formatCount(halfWidth)
}
