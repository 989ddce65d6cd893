import { formatLength, formatMs, percent } from '../../report/words.ts'
import { sharesOf } from '../../run/machine.ts'
import { compared } from '../../statistics/compare/comparison.ts'
import { mergedHistogram } from '../../statistics/histograms.ts'
import { sumOf } from '../../statistics/summary.ts'
import type { DrivenResult, RunBesides, RunSample, TargetResult } from '../result.ts'
import { targetText } from './words.ts'

/** Operations in flight at the end of a run end somewhat later; those that take longer than this share of it are told of. */
const leastShare = 0.1
/** Timers are late by so much, in milliseconds. */
const slackMs = 50

/** A sentence about operations that ended long after the time of their run, such as transactions that waited before another attempt. */
function lateNote(store: string, runs: readonly RunSample[]): readonly string[] {
  const lateMs = Math.max(0, ...runs.map(({ elapsedMs, countedMs }) => elapsedMs - countedMs))
  const isLong = runs.some(
    ({ elapsedMs, countedMs }) => elapsedMs - countedMs > Math.max(slackMs, countedMs * leastShare),
  )
  const kinds = runs.flatMap((run) => run.kinds)
  const late = sumOf(kinds, (kind) => kind.late)
  if (!isLong || late === 0) return []
  const all = sumOf(kinds, ({ service }) => service.count)
  const last = formatLength(lateMs < 1_000 ? Math.round(lateMs) : Math.round(lateMs / 100) * 100)
  const [some, of] = [late, all].map((count) => count.toLocaleString('en-US'))
  return [
    `${store}: ${some} of ${of} operations ended up to ${last} after the time of a run. Such operations are in the times, and not in the rate.`,
  ]
}

/** The findings of a result, in sentences. */
export function findings(result: DrivenResult): readonly string[] {
  const phases = [...new Set(result.targets.map(({ phase }) => phase))]
  return [
    ...phases.flatMap((phase) => comparisons(result.targets.filter((target) => target.phase === phase))),
    ...result.targets.flatMap(notes),
    ...machineFindings(result.targets.flatMap(({ runs }) => runs)),
  ]
}

/** The fastest store beside each other one. */
function comparisons(targets: readonly TargetResult[]): readonly string[] {
  const [first, ...others] = [...targets].sort((a, b) => b.rate.mean - a.rate.mean)
  return others.flatMap((other) => {
    const { rate } = other
    if (first === undefined || Math.min(...rate.runs, ...first.rate.runs) <= 0) return []
    // Runs take the stores in turn, so that the machine was the same for a pair of them.
    const inTurn = rate.runs.length === first.rate.runs.length
    const names = [targetText(other), targetText(first)] as const
    return compared(rate.runs, first.rate.runs, { better: 'higher', inTurn, names }).sentence
  })
}

/** Facts that a reader of the figures must know. */
function notes(target: TargetResult): readonly string[] {
  const { operations, runs } = target
  const store = targetText(target)
  const missed = operations.filter(({ outcome, count }) => outcome !== null && count > 0)
  const failures = sumOf(operations, ({ errors }) => errors)
  const error = runs.find(({ firstError }) => firstError !== null)?.firstError
  return [
    ...missed.map(({ name, outcome, count }) => {
      const all = sumOf(operations, (one) => (one.name === name ? one.count : 0))
      const what = outcome === 'miss' ? 'found no record' : 'lost against another write'
      return `${store}: ${percent(count / all)} % of ${name} operations ${what}.`
    }),
    ...checkNote(store, runs),
    ...lateNote(store, runs),
    ...(failures === 0
      ? []
      : [
          `${store}: ${failures.toLocaleString('en-US')} operations failed${failedTimes(runs)}, the first one with: ${error}`,
        ]),
  ]
}

/** How long failures took, as far as it is known. */
function failedTimes(runs: readonly RunSample[]): string {
  const times = mergedHistogram(runs.flatMap(({ kinds }) => kinds.flatMap(({ failed }) => failed ?? [])))
  if (times === undefined) return ''
  const [middle, most] = [times.percentile(50), times.max].map((ns) => formatMs(ns / 1e6))
  return ` (after ${middle} in the median, ${most} at most)`
}

function checkNote(store: string, runs: readonly RunSample[]): readonly string[] {
  const counts = runs.flatMap(({ checks }) => checks ?? [])
  if (counts.length === 0) return []
  const [checked, wrong] = [sumOf(counts, (one) => one.checked), sumOf(counts, (one) => one.wrong)].map(
    (count) => count.toLocaleString('en-US'),
  )
  return [`${store}: ${checked} values that reads returned were checked, ${wrong} were wrong.`]
}

/** Work of others, time of the host and pauses are told of from this share on. */
const told = 0.1

/** Other work on the machine during the runs; empty where it was little, or is not known. */
export function machineFindings(runs: readonly RunBesides[]): readonly string[] {
  const known = runs.flatMap(({ machine, lostMs = 0 }) =>
    machine === undefined ? [] : [{ machine, lostMs }],
  )
  const shares = known.map(({ machine, lostMs }) => ({
    ...sharesOf(machine),
    lost: machine.elapsedMs === 0 ? 0 : lostMs / machine.elapsedMs,
  }))
  const most = (of: 'others' | 'stolen' | 'lost'): number => Math.max(0, ...shares.map((one) => one[of]))
  const load = Math.max(0, ...known.map(({ machine }) => machine.loadAverage))
  const cores = known[0]?.machine.cores ?? 1
  const [others, stolen, lost] = [most('others'), most('stolen'), most('lost')]
  const sentences = [
    [
      others,
      `Other processes took up to ${Math.round(others * 100)} % of the machine during a run (load average ${load.toFixed(1)}, ${cores} ${cores === 1 ? 'core' : 'cores'}); a server of a store on this machine is one of them.`,
    ],
    [
      stolen,
      `The host gave up to ${Math.round(stolen * 100)} % of the processor time of a run to other machines, so figures of another time may differ.`,
    ],
    [
      lost,
      `The process that measured did not run for up to ${Math.round(lost * 100)} % of the time of a run, so times of operations are too long.`,
    ],
  ] as const
  return sentences.filter(([share]) => share >= told).map(([, sentence]) => sentence)
}
