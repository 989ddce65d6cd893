import { drivenReport } from '../../../driven/report/report.ts'
import { targetText } from '../../../driven/report/words.ts'
import type { RunSample } from '../../../driven/result.ts'
import { rateOf } from '../../../driven/runs.ts'
import { averaged } from '../../../driven/target-results.ts'
import { percent } from '../../../report/words.ts'
import { isPrecise } from '../../../statistics/steady.ts'
import type { StudyReport } from '../../../study/study-report.ts'
import type { RunResult } from '../config.ts'
import { settingOf, settings } from '../phases/setting.ts'
import { longestWarmupMs } from '../watches.ts'
import { runsText, workloadLines } from './workload-lines.ts'

const closed =
  'Each caller waits for its answer before its next operation, so a slow store is asked less often: a stall that users of a fixed rate would feel is hardly to be seen here. Give a rate (<code>--rate</code>) to see it.'
const open =
  'Operations at a rate begin by a schedule that never waits for the store. Response times count from the time that the schedule intended, service times from the time when the operation began; both are shown, and neither is corrected afterwards.'

/** How it was measured, as HTML. */
function method({ config, targets }: RunResult): string {
  const rates = settings(config).map(({ loop: { rate } }) => rate)
  const runs = Math.max(0, ...targets.map((target) => target.runs.length))
  const loop = [
    ...(rates.includes(null) ? [closed] : []),
    ...(rates.some((rate) => rate !== null) ? [open] : []),
  ].join(' ')
  return `<p>Each store was loaded, then warmed up, then measured ${runs} ${runs === 1 ? 'time' : 'times'}, in turn with the others. ${loop}</p>
<p>Rates are of operations that ended within the time of a run; those that ended later count in the times alone. ± is the half-width of the 95 % confidence interval of the mean, by Student’s t over the runs. Percentiles are of all runs together, and are left out where fewer than ten operations lie beyond them. Failures are counted, and their times are in no figure; reads of keys that were not there, and writes that lost against another one, stand apart from successes.</p>`
}

/** The report of the study. */
export const report: StudyReport<RunResult> = {
  title: 'Workload',
  ...drivenReport,
  findings: (result) => [
    ...drivenReport.findings(result),
    ...unsteadyWarmups(result),
    ...earlyEnds(result),
    ...missedPrecision(result),
  ],
  setup: (result) => [...workloadLines(result), ['runs', runsText(result)]],
  method,
}

/** Runs that ended early, as a threshold was crossed: their figures are of fewer seconds. */
function earlyEnds({ status, config, targets }: RunResult): readonly string[] {
  if (!config.failFast || status !== 'crossed') return []
  return targets.flatMap((target) => {
    const { durationMs, operations } = settingOf(config, target.phase)
    const early = target.runs.filter(
      (run) => run.elapsedMs < durationMs - 1_000 && (operations === null || run.operations < operations),
    )
    return early.map(
      ({ run, elapsedMs }) =>
        `${targetText(target)}: run ${run} ended after ${seconds(elapsedMs)} of ${seconds(durationMs)} s, as a threshold was crossed.`,
    )
  })
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}

/** Stores whose warm-up ended without seconds that are alike: a reader must know. */
function unsteadyWarmups({ targets }: RunResult): readonly string[] {
  const stores = targets.filter(({ isSteady }) => isSteady === false).map(({ store }) => store)
  return [...new Set(stores)].map(
    (store) =>
      `${store}: the warm-up ended before its seconds were alike (it lasts ${longestWarmupMs / 1_000} s at most), so the runs may still show a store that warms up.`,
  )
}

/** Whether the figure that a run asks for is known within `until`. */
export function isKnown(runs: readonly RunSample[], until: number): boolean {
  return isPrecise(runs.map(figureOf), until)
}

/** How far the intervals reach of stores that are not known as precisely as `until` asks for. */
function missedPrecision({ config, targets }: RunResult): readonly string[] {
  const { until } = config
  if (until === null) return []
  return targets.flatMap(({ store, phase, runs }) => {
    if (isKnown(runs, until)) return []
    const { mean, halfWidth } = averaged(runs.map(figureOf))
    const what = runs[0]?.open === null ? 'its rate' : 'its mean time'
    const reached =
      halfWidth === null || mean === 0 ? 'is not known' : `is known to ±${percent(halfWidth / mean)} %`
    return `${targetText({ store, phase })}: after ${runs.length} ${runs.length === 1 ? 'run' : 'runs'} ${what} ${reached}, not to the ±${percent(until)} % of --until.`
  })
}

/** At a rate the throughput is given, and the times are the question. */
function figureOf(sample: RunSample): number {
  return sample.open === null ? rateOf(sample) : meanResponseOf(sample)
}

function meanResponseOf({ kinds }: RunSample): number {
  const times = kinds.map(({ response, service }) => response ?? service)
  const count = times.reduce((sum, one) => sum + one.count, 0)
  return count === 0 ? 0 : times.reduce((sum, one) => sum + one.sum, 0) / count
}
