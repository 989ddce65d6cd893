import { histogramOf } from '@unikv/core/histogram'
import type { DriveSample } from '../drive/driver.ts'
import { arrivalsUntil } from '../loop/arrivals.ts'
import { seriesInterval } from '../loop/interval-sample.ts'
import { type RatePlan, stagesOf } from '../loop/rate-plan.ts'
import { listed } from '../report/words.ts'
import { sumOf } from '../statistics/summary.ts'
import type { Judgement } from '../study/study.ts'
import { targetText, thresholdText } from './report/words.ts'
import type { DrivenBody, OpenSample, RunSample, TargetResult } from './result.ts'

/** One run over one store. */
export interface DrivenCell {
  /** 0 loads and warms up, and is not counted; measured runs count from 1. */
  readonly run: number
  /** Always 0: this study has no axis of sizes. */
  readonly point: 0
  readonly store: string
  /** Name of the phase; `null`: runs have no phases, or it is the load. */
  readonly phase: string | null
}

/**
 * All cells: each run goes once through the stores, and begins with another one. The phases of a run follow each other in one
 * store.
 */
export function planRuns(
  runs: number,
  stores: readonly { readonly name: string }[],
  phases: readonly (string | null)[] = [null],
): DrivenCell[] {
  return Array.from({ length: runs + 1 }, (_, run) =>
    stores.flatMap((_store, index) => {
      const store = stores[(index + run) % stores.length]?.name as string
      const parts = run === 0 ? [null] : phases
      return parts.map((phase): DrivenCell => ({ run, point: 0, store, phase }))
    }),
  ).flat()
}

/**
 * A run as it stands in a result.
 *
 * @param rate the rate of its schedule, if it is known
 */
export function runSampleOf(
  run: number,
  { series, schedule, ...counts }: DriveSample,
  rate: RatePlan | null = null,
): RunSample {
  const targets = rate === null ? [] : series.map((interval) => targetIn(rate, interval))
  return { run, ...counts, series: series.map(seriesInterval), open: openOf(schedule, targets) }
}

function openOf(schedule: DriveSample['schedule'], targets: readonly number[]): OpenSample | null {
  if (schedule === null) return null
  const { lag, ...account } = schedule
  return { ...account, lagP99Ms: lag.count === 0 ? 0 : histogramOf(lag).percentile(99) / 1e6, targets }
}

/** The mean rate of an interval. */
function targetIn(
  rate: RatePlan,
  { atMs, lengthMs }: { readonly atMs: number; readonly lengthMs: number },
): number {
  if (typeof rate === 'number' || lengthMs === 0) return typeof rate === 'number' ? rate : 0
  const stages = stagesOf(rate)
  const due = arrivalsUntil(stages, atMs + lengthMs) - arrivalsUntil(stages, atMs)
  return (due / lengthMs) * 1_000
}

/** A run, as far as its operations are told of. */
export type RunOfKinds = Pick<RunSample, 'countedMs' | 'kinds'>

/** Operations a second of one run, of all its kinds or of some of them: successes that ended within its time. */
export function rateOf({ countedMs, kinds }: RunOfKinds): number {
  const inTime = sumOf(kinds, ({ service, late }) => service.count - late)
  return countedMs === 0 ? 0 : (inTime / countedMs) * 1_000
}

/** Whether a worker was lost in a run: the result is invalid then, and further runs would wait for another one. */
export function hasLostWorker({ invalid }: Pick<RunSample, 'invalid'>): boolean {
  return invalid.some(({ reason }) => reason === 'worker-lost')
}

/**
 * Runs that say nothing about their store, with their reasons; otherwise thresholds that were crossed; otherwise those
 * whose figure is not known, which must not pass for kept.
 */
export function judgeDriven({ targets, thresholds }: DrivenBody): Judgement | undefined {
  const reasons = targets.flatMap(reasonsOf)
  if (reasons.length > 0) return { status: 'invalid', error: reasons.join(' ') }
  const crossed = thresholds.filter(({ isCrossed }) => isCrossed)
  if (crossed.length > 0)
    return { status: 'crossed', error: `Crossed: ${crossed.map(thresholdText).join('; ')}.` }
  const unknown = thresholds.filter(({ found }) => found === null)
  if (unknown.length === 0) return undefined
  const error = `Too few operations to tell: ${unknown.map(({ store, text }) => `${store}: ${text}`).join('; ')}. Make the runs longer.`
  return { status: 'invalid', error }
}

/** Each reason once, with the first run that has it. */
function reasonsOf(target: TargetResult): readonly string[] {
  const { runs } = target
  const found = runs.flatMap(({ run, invalid }) => invalid.map((one) => ({ run, ...one })))
  const firsts = found.filter(
    ({ reason }, index) => found.findIndex((one) => one.reason === reason) === index,
  )
  return firsts.map(({ run, reason, message }) => {
    const others = found.filter((one) => one.reason === reason && one.run !== run).map((one) => one.run)
    const also = others.length === 0 ? '' : ` (also run ${listed([...new Set(others)].map(String))})`
    return `${targetText(target)}, run ${run}: ${message}${also}.`
  })
}
