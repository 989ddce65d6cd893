import type { Cell } from '../../cube/cell.ts'
import { rate } from '../../cube/columns.ts'
import type { Column, Dimension, View } from '../../cube/view.ts'
import type { ReportTable } from '../../report/report-table.ts'
import { formatMs, percent } from '../../report/words.ts'
import { sumOf } from '../../statistics/summary.ts'
import type { DrivenResult, TargetResult } from '../result.ts'
import { foundText } from './words.ts'

/** An operation and its outcome. */
export const operation: Dimension = {
  name: 'operation+outcome',
  head: 'operation',
  text: (value) => {
    const [name = '', outcome = ''] = String(value).split('\t')
    return outcome === 'success' ? name : `${name} (${outcome})`
  },
}

/** A store, or a phase in it, as a value of `targetsOf`. */
function targetValue({ store, phase }: Pick<TargetResult, 'store' | 'phase'>): string {
  return phase === null ? store : `${store}\t${phase}`
}

/** Stores, or phases in them, in their order. */
export function targetsOf({ targets }: Pick<DrivenResult, 'targets'>): Dimension {
  return { name: 'store+phase', head: 'store', values: targets.map(targetValue) }
}

/** Whether operations began by a schedule, so that there are response times. */
export function isAtRate({ targets }: Pick<DrivenResult, 'targets'>): boolean {
  return targets.some(({ runs }) => runs.some(({ open }) => open !== null))
}

/** Throughput of the stores, then every operation. */
export function summary(result: DrivenResult): readonly (View | ReportTable)[] {
  const isOpen = isAtRate(result)
  const times = isOpen ? 'response times, from the intended start' : 'service times'
  return [
    throughput(result),
    latencies(result, `Operations, ${times}`, (cell) =>
      cell.rows('response').length > 0 ? 'response' : 'service',
    ),
    ...(isOpen ? [latencies(result, 'Operations, service times', () => 'service')] : []),
    {
      names: [targetsOf(result), { name: 'operation' }, { name: 'outcome', head: 'code' }],
      of: 'operations',
      columns: [{ head: 'failures', text: (cell) => cell.sum('operations').toLocaleString('en-US') }],
      title: () => 'Failures by the code of the error',
    },
    ...resetTables(result),
    ...(result.thresholds.length === 0 ? [] : [thresholdTable(result)]),
  ]
}

function throughput(result: DrivenResult): View {
  const isFailure = (outcome: string): boolean => outcome !== 'success'
  const own = ({ place }: Cell): TargetResult | undefined =>
    result.targets.find((target) => targetValue(target) === place['store+phase'])
  const loadOf = (cell: Cell): number | null => {
    const { records, elapsedMs } = own(cell)?.load ?? { records: 0, elapsedMs: 0 }
    return elapsedMs === 0 || records === 0 ? null : (records / elapsedMs) * 1_000
  }
  const hasMisses = result.targets.some((target) => missedShare(target) > 0)
  const missesText = (target: TargetResult | undefined): string =>
    hasMisses && target !== undefined ? `${percent(missedShare(target))} %` : ''
  return {
    names: [targetsOf(result)],
    of: 'rate',
    columns: [
      ...rate(),
      { head: 'misses', isOptional: true, text: (cell) => missesText(own(cell)) },
      { head: 'failures', text: (cell) => String(cell.total('operations', isFailure)) },
      { head: 'ended late', text: (cell) => String(cell.total('late', () => true)) },
      { head: 'load, records/s', of: loadOf },
    ],
    title: () => 'Operations a second, all kinds together',
  }
}

/** The share of operations that found no record. */
function missedShare({ operations }: TargetResult): number {
  const all = sumOf(operations, ({ count }) => count)
  return all === 0 ? 0 : sumOf(operations, ({ count, outcome }) => (outcome === 'miss' ? count : 0)) / all
}

function latencies(result: DrivenResult, title: string, measureOf: (cell: Cell) => string): View {
  const time = (head: string, statistic: string): Column => ({
    head,
    of: (cell) =>
      statistic === 'mean' ? cell.mean(measureOf(cell), 'mean') : cell.figure(measureOf(cell), statistic),
    format: formatMs,
  })
  const named = { mean: 'mean', p50: 'p50', p95: 'p95', p99: 'p99', 'p99.9': 'p999', max: 'max' }
  return {
    names: [targetsOf(result), operation],
    of: 'service',
    columns: [rate()[0], ...Object.entries(named).map(([head, statistic]) => time(head, statistic))],
    title: () => title,
  }
}

function thresholdTable(result: DrivenResult): ReportTable {
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

/** Loading, keeping and bringing back the records, where that was asked for. */
function resetTables({ targets }: DrivenResult): readonly ReportTable[] {
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
