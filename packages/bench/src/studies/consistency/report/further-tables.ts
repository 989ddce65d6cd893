import type { ReportTable } from '../../../report/report-table.ts'
import type { ConsistencyResult, LevelCost, StaleResult } from '../result.ts'
import { conditionText, percentText, quantileText } from './words.ts'

/** The same comparison with the slower pair first, so that its cost is not negative. */
export function oriented(cost: LevelCost): LevelCost {
  const { pair, other, costPercent, interval } = cost
  if (costPercent >= 0) return cost
  return {
    ...cost,
    pair: other,
    other: pair,
    costPercent: turned(costPercent),
    interval: interval === null ? null : [turned(interval[1]), turned(interval[0])],
    verdict: cost.verdict === 'faster' ? 'slower' : cost.verdict,
  }
}

/** The cost of the other one, in per cent of the first. */
function turned(percent: number): number {
  return 100 * (1 - 1 / (1 - percent / 100))
}

/** The verdict of the test on the slower pair. */
const verdictWords: Readonly<Record<LevelCost['verdict'], string>> = {
  slower: 'slower',
  faster: 'faster',
  'no-difference': 'no difference',
  unclear: 'unclear',
  'not-enough-runs': 'too few runs',
}

/** Beyond this, runs vary so much that a figure says nothing. */
const mostPercent = 999

/** A cost with a sign that is not a hyphen. */
function signedText(percent: number): string {
  if (percent < -mostPercent) return `< −${mostPercent} %`
  return `${percent.toFixed(1).replace('-', '−')} %`
}

/** A cost in words: `12.3 % fewer`, `2.0 % more`. */
export function costText(percent: number): string {
  if (percent < -mostPercent) return `over ${mostPercent} % more`
  const size = Math.abs(percent).toFixed(1)
  if (Number(size) === 0) return 'the same'
  return `${size} % ${percent > 0 ? 'fewer' : 'more'}`
}

/** A published cost of strong consistency. */
interface PublishedCost {
  readonly store: string
  readonly strong: string
  readonly eventual: string
  /** Reduction of the throughput from eventual to strong, in per cent, with 32 client sessions. */
  readonly costPercent: number
}

/**
 * Published figures: Klein, Gorton, Ernst, Donohoe, Pham and Matser, Performance Evaluation of NoSQL Databases (2015), figures 7 and
 * 8: nine nodes in three groups, reads and writes of health records.
 */
const published: readonly PublishedCost[] = [
  {
    store: 'Cassandra',
    strong: 'write EACH_QUORUM, read LOCAL_QUORUM',
    eventual: 'ONE, ONE',
    costPercent: 25,
  },
  { store: 'Riak', strong: 'quorum, quorum', eventual: 'noquorum, noquorum', costPercent: 10 },
]

/** The cost of levels in throughput, here and as it was published. */
export function costTables(result: ConsistencyResult): readonly ReportTable[] {
  return result.costs.length === 0 ? [] : [costsTable(result), publishedTable()]
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

/** The time until all readers saw a write. */
export function seenTable(stale: readonly StaleResult[]): ReportTable {
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
