import { histogramOf } from '@unikv/core/histogram'
import { FileNames } from '../../cube/view-tables.ts'
import { mergedHistogram } from '../../statistics/histograms.ts'
import { type HlogInterval, hlog } from '../../statistics/hlog.ts'
import { sumOf } from '../../statistics/summary.ts'
import type { StudyReport } from '../../study/study-report.ts'
import { viewed } from '../../study/viewed.ts'
import { type YcsbOperationSummary, ycsbText } from '../../ycsb/ycsb-text.ts'
import type { DrivenResult, RunSample, TargetResult } from '../result.ts'
import { drivenRows } from '../rows.ts'
import { findings } from './findings.ts'
import { plots } from './plots.ts'
import { summary } from './summary.ts'
import { operationText, targetKey, targetText } from './words.ts'

/** The report of a study that drives stores, but for its title, its setup and its method. */
export const drivenReport: Omit<StudyReport<DrivenResult>, 'title' | 'setup' | 'method'> = {
  sections: [
    { id: 'time', title: 'Over time', lead: 'All measured runs, one after the other.' },
    {
      id: 'latency',
      title: 'Latency',
      lead: 'How long the slowest share of operations took, for each kind of operation.',
    },
  ],
  findings,
  formats: ['ycsb'],
  formatted: (_format, result) => ycsbFormat(result),
  ...viewed({ rows: drivenRows, summary, plots }),
  files: hlogFiles,
}

/** A log of each store that tools of HdrHistogram read: one line for each operation of each run. */
function hlogFiles({ startedAt, targets }: DrivenResult): ReadonlyMap<string, string> {
  const at = Date.parse(startedAt)
  const files = new FileNames()
  return new Map(
    targets.map((target) => [`${files.claim(targetKey(target))}.hlog`, hlog(at, intervalsOf(target))]),
  )
}

/** Response times at a rate; runs follow each other without a pause. */
function intervalsOf({ runs }: TargetResult): HlogInterval[] {
  let startMs = 0
  return runs.flatMap(({ kinds, elapsedMs: lengthMs }) => {
    const begins = startMs
    startMs += lengthMs
    return kinds.map((kind) => ({
      tag: operationText(kind),
      startMs: begins,
      lengthMs,
      histogram: histogramOf(kind.response ?? kind.service),
    }))
  })
}

/** The text that YCSB prints, of all runs of a store together; several stores one after the other. */
function ycsbFormat({ targets }: DrivenResult): string {
  return targets
    .map((target) => `${targets.length > 1 ? `# ${targetText(target)}\n` : ''}${ycsbOf(target)}`)
    .join('\n')
}

function ycsbOf({ runs, operations }: TargetResult): string {
  const names = [...new Set(operations.map(({ name }) => name))]
  return ycsbText({
    elapsedMs: sumOf(runs, ({ elapsedMs }) => elapsedMs),
    operations: names.flatMap((name) => summaryOf(name, runs)),
  })
}

function summaryOf(name: string, runs: readonly RunSample[]): YcsbOperationSummary[] {
  const kinds = runs.flatMap((run) => run.kinds.filter((kind) => kind.name === name))
  const histogram = mergedHistogram(kinds.map(({ service }) => service))
  if (histogram === undefined) return []
  const errors = sumOf(kinds, (kind) => kind.errors)
  const misses = sumOf(kinds, ({ outcome, service }) => (outcome === 'miss' ? service.count : 0))
  return [{ name, count: histogram.count + errors, histogram, misses, errors }]
}
