import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, formatMs } from '../../../report/words/units.ts'
import { published } from '../published.ts'
import type { ConsistencyResult, LevelRate, StaleResult } from '../result.ts'
import { oriented, signedText, verdictWords } from './costs.ts'
import { type Group, groupsOf, staleCurves } from './tables.ts'
import { conditionText, percentText, quantileText, shareText } from './words.ts'

/** Throughput and its cost, then stale reads. */
export function summaryTables(result: ConsistencyResult): readonly ReportTable[] {
  const { rates, costs, stale } = result
  return [
    ...(rates.length === 0 ? [] : [ratesTable(rates)]),
    ...(costs.length === 0 ? [] : [costsTable(result), publishedTable()]),
    ...(stale.length === 0 ? [] : [seenTable(stale), ...groupsOf(stale).map(staleTable)]),
  ]
}

function ratesTable(rates: readonly LevelRate[]): ReportTable {
  const hasFailures = rates.some(({ errors }) => errors > 0)
  return {
    title: 'Throughput, and times of reads and writes',
    head: [
      'store',
      'level',
      'callers',
      'ops/s',
      '± 95 %',
      'read mean',
      'p95',
      'p99',
      'write mean',
      'p95',
      'p99',
      ...(hasFailures ? ['failed'] : []),
    ],
    names: 3,
    rows: rates.map(({ store, condition, pair, callers, rate, read, write, errors }) => [
      store + conditionText(condition),
      pair,
      String(callers),
      formatCount(rate.mean),
      rate.halfWidth === null || rate.halfWidth >= rate.mean ? '–' : formatCount(rate.halfWidth),
      ...timeCells(read),
      ...timeCells(write),
      ...(hasFailures ? [String(errors)] : []),
    ]),
  }
}

function timeCells(times: LevelRate['read']): readonly string[] {
  if (times === null || times.meanMs.runs.length === 0) return ['–', '–', '–']
  return [times.meanMs.mean, times.p95Ms, times.p99Ms].map((ms) => (ms === null ? '–' : formatMs(ms)))
}

function costsTable({ costs }: ConsistencyResult): ReportTable {
  return {
    title: 'Throughput that a level costs beside a faster one; paired runs',
    head: ['store', 'level', 'beside', 'callers', 'costs', '95 %', 'verdict'],
    names: 3,
    rows: costs
      .map(oriented)
      .map(({ store, condition, pair, other, callers, costPercent, interval, verdict }) => [
        store + conditionText(condition),
        pair,
        other,
        String(callers),
        signedText(costPercent),
        interval === null ? '–' : `${signedText(interval[0])} … ${signedText(interval[1])}`,
        verdictWords[verdict],
      ]),
  }
}

function publishedTable(): ReportTable {
  return {
    title: 'Published for nine nodes and 32 sessions (Klein et al., 2015): strong beside eventual',
    head: ['store', 'strong', 'eventual', 'costs'],
    rows: published.map(({ store, strong, eventual, costPercent }) => [
      store,
      strong,
      eventual,
      `${costPercent} %`,
    ]),
  }
}

function seenTable(stale: readonly StaleResult[]): ReportTable {
  return {
    title: 'Time from the acknowledgement of a write until all readers see it',
    head: ['store', 'level', 'writes', 'median', 'p95', 'p99', 'longest', 'at once', 'not seen', 'failed'],
    names: 2,
    rows: stale.map(({ store, condition, pair, writes, writeErrors, seen }) => [
      store + conditionText(condition),
      pair,
      String(writes),
      ...[seen.median, seen.p95, seen.p99, seen.max].map(quantileText),
      percentOf(seen.atOnce, writes),
      String(seen.unseen),
      String(writeErrors + seen.unknown),
    ]),
  }
}

function percentOf(part: number, whole: number): string {
  return whole === 0 ? '–' : percentText(part / whole)
}

/** A row for each delay, a column for each reader at each level. */
function staleTable({ store, condition, own }: Group<StaleResult>): ReportTable {
  const curves = staleCurves(own)
  const delays = [...new Set(curves.flatMap(({ reader }) => reader.points.map(({ delayMs }) => delayMs)))]
  const hasFailures = curves.some(({ reader }) => reader.errors > 0)
  return {
    title: `Stale reads of ${store}${conditionText(condition)}, with 95 % intervals`,
    head: ['since the write', ...curves.map(({ name }) => name)],
    rows: [
      ...delays
        .toSorted((a, b) => a - b)
        .map((delayMs) => [
          delayMs === 0 ? 'directly' : formatMs(delayMs),
          ...curves.map(({ reader }) => {
            const point = reader.points.find((one) => one.delayMs === delayMs)
            return point === undefined ? '–' : shareText(point)
          }),
        ]),
      [
        'went back',
        ...curves.map(({ reader: { wentBack } }) => (wentBack === null ? '–' : shareText(wentBack))),
      ],
      ...(hasFailures ? [['failed reads', ...curves.map(({ reader }) => String(reader.errors))]] : []),
    ],
  }
}
