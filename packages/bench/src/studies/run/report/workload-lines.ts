import { type CountedCalls, callLines, connectionLines } from '../../../driven/report/words.ts'
import type { RunSample } from '../../../driven/result.ts'
import type { RatePlan } from '../../../loop/rate-plan.ts'
import { mixOf } from '../../../operations/mix.ts'
import { formatCallers, formatDuration, formatExact, percent } from '../../../report/words.ts'
import type { SetupLine } from '../../../study/study-report.ts'
import type { RunConfig, RunResult } from '../config.ts'
import { type Setting, settingOf } from '../phases/setting.ts'

/** The workload, in lines of the setup. */
export function workloadLines({ config, targets }: RunResult): readonly SetupLine[] {
  const { workload, phases } = config
  const setting = settingOf(config, null)
  return [
    ['workload', phases.length === 0 ? `${workload.name}: ${sharesText(setting)}` : workload.name],
    ...recordLines(config, targets[0]),
    ...(phases.length === 0 ? [['callers', callersText(config, setting)] as const] : phaseLines(config)),
    ...callLines(
      config,
      targets.flatMap(({ store, runs }) => runs.map((run) => callsOf(store, run))),
    ),
    ...connectionLines(
      targets.flatMap(({ store, runs }) => runs.map(({ connections }) => ({ store, connections }))),
    ),
  ]
}

function callsOf(store: string, { operations, calls }: RunSample): CountedCalls {
  return { store, operations, calls: calls ?? null }
}

/** A module that makes its own data, such as one of sessions, has a single record for form's sake. */
function recordLines(
  { workload: { module, records, values, keys }, table }: RunConfig,
  target: RunResult['targets'][number] | undefined,
): readonly SetupLine[] {
  if (module !== null && records === 1) return [['records', 'those that the module makes']]
  const ofTable = table === null ? '' : ` of the table ${table}`
  return [
    ['records', `${formatExact(records)}${ofTable}, bytes of a value: ${target?.lengthLaw ?? values.kind}`],
    ['keys', target?.keyLaw ?? keys.kind],
  ]
}

function phaseLines(config: RunConfig): readonly SetupLine[] {
  return config.phases.map(({ name, warmup }) => {
    const setting = settingOf(config, name)
    const length = lengthOf(setting)
    const text = `${sharesText(setting)}; ${callersText(config, setting)}; ${length}${warmup ? ', not counted' : ''}`
    return [`phase ${name}`, text]
  })
}

function sharesText({ workload }: Setting): string {
  const mix = mixOf(workload)
  const total = mix.reduce((sum, [, weight]) => sum + weight, 0)
  return mix.map(([name, weight]) => `${percent(weight / total)} % ${name}`).join(', ')
}

function callersText(config: RunConfig, { loop }: Setting): string {
  const { rate, concurrency, maxInFlight, whenFull } = loop
  const text =
    rate === null
      ? `${formatCallers(concurrency)}, each waits for its answer`
      : `${rateText(rate)} operations a second (${config.arrivals}), at most ${maxInFlight} in flight (${whenFull} beyond)`
  return `${text}${placesText(config)}`
}

function lengthOf({ operations, durationMs }: Setting): string {
  return operations === null ? lengthText(durationMs) : `${operations.toLocaleString('en-US')} operations`
}

/** A rate in words, such as `100 to 1,000 in 30 s, then 1,000 for 1 min`. */
function rateText(rate: RatePlan): string {
  if (typeof rate === 'number') return formatExact(rate)
  return rate
    .map(({ from, to, ms }) =>
      from === to
        ? `${formatExact(from)} for ${lengthText(ms)}`
        : `${formatExact(from)} to ${formatExact(to)} in ${lengthText(ms)}`,
    )
    .join(', then ')
}

function placesText({ threads, workers }: RunConfig): string {
  if (workers > 0) return `, in ${workers} ${workers === 1 ? 'worker' : 'workers'} elsewhere`
  return threads === 1 ? '' : `, in ${threads} threads`
}

/** How long the runs were. */
export function runsText({ config, targets }: RunResult): string {
  const { runs, until, phases, warmupMs } = config
  const most = phases.length === 0 ? lengthOf(settingOf(config, null)) : `${phases.length} phases`
  const made = Math.max(0, ...targets.map((target) => target.runs.length))
  const count = until === null ? `${runs}` : `${made} (until ±${percent(until)} %, at most ${runs})`
  return `${count} of ${most} after a warm-up ${warmupText(warmupMs)}`
}

function warmupText(warmupMs: number | 'steady'): string {
  return warmupMs === 'steady' ? 'until steady' : `of ${lengthText(warmupMs)}`
}

/** Unlike what is left of a run, its length is exact. */
function lengthText(ms: number): string {
  if (ms % 1_000 === 0) return formatDuration(ms)
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`
}
