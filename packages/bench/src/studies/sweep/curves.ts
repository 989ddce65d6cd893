import { Histogram, histogramJson } from '@unikv/core/histogram'
import type { DriveSample } from '../../drive/driver.ts'
import { rateOf } from '../../driven/runs.ts'
import { averaged, latencyOf, operationsOf } from '../../driven/target-results.ts'
import { mixOf } from '../../operations/mix.ts'
import { countedKinds } from '../../operations/mixed-operations.ts'
import type { StoreTarget } from '../../run/target.ts'
import { type UslFit, uslFit } from '../../statistics/usl/usl-fit.ts'
import type { Curve, CurvePoint, SweepConfig } from './config.ts'
import type { Setting, SweepCell } from './setting.ts'

/** Whether every operation failed: then the throughput is missing, not zero. */
export function isMissing({ rate, errors }: Pick<CurvePoint, 'rate' | 'errors'>): boolean {
  return rate.mean === 0 && errors > 0
}

/** Whether no run had a connection for each caller. */
export function isRefused(point: Pick<CurvePoint, 'rate' | 'errors' | 'refused'>): boolean {
  return point.refused !== undefined && isMissing(point)
}

/** The measurements of a cell, without its seconds. */
export interface SweepSample extends Omit<DriveSample, 'series'> {
  /** Why there was no connection for each caller, so that nothing was measured. @default there was */
  readonly refused?: string | undefined
}

/** A cell whose callers did not all get a connection: each of them has failed. */
export function refusedSample({ workload, concurrency }: Setting, refused: string): SweepSample {
  const nothing = histogramJson(new Histogram())
  const names = mixOf(workload).map(([name]) => name)
  const none = { errors: 0, errorCodes: {}, late: 0, service: nothing, response: null }
  return {
    elapsedMs: 0,
    countedMs: 0,
    operations: 0,
    errors: concurrency,
    firstError: refused,
    kinds: countedKinds(names, workload.module).map((kind) => ({ ...kind, ...none })),
    schedule: null,
    checks: null,
    invalid: [],
    refused,
  }
}

/** A finished cell. */
export interface SweepRecord {
  readonly cell: SweepCell
  /** `null` of a cell that loads. */
  readonly sample: SweepSample | null
}

/** A curve for each store and load with a measured run. */
export function curvesOf(
  { over, loads }: SweepConfig,
  stores: readonly Pick<StoreTarget, 'name'>[],
  records: readonly SweepRecord[],
): Curve[] {
  return loads.flatMap(({ name: load }) =>
    stores.flatMap(({ name: store }): Curve[] => {
      const own = records.filter(({ cell }) => cell.store === store && cell.load.name === load)
      const runs = over.values.map((value) => samplesAt(value, own))
      const points = over.values.flatMap((value, index) => pointOf(value, runs[index] ?? []))
      if (points.length === 0) return []
      return [{ store, load, points, fit: over.field === 'concurrency' ? fitOf(points) : null }]
    }),
  )
}

interface RunOf {
  readonly run: number
  readonly sample: SweepSample
}

function samplesAt(value: number, records: readonly SweepRecord[]): readonly RunOf[] {
  return records.flatMap(({ cell, sample }) =>
    sample === null || cell.value !== value ? [] : [{ run: cell.run, sample }],
  )
}

/** Runs without a connection for each caller count only where there is no other. */
function pointOf(value: number, all: readonly RunOf[]): CurvePoint[] {
  if (all.length === 0) return []
  const served = all.filter(({ sample }) => sample.refused === undefined)
  const runs = served.length === 0 ? all : served
  const refused = all.find(({ sample }) => sample.refused !== undefined)?.sample.refused
  const samples = runs.map(({ sample }) => sample)
  const times = samples.flatMap(({ kinds }) =>
    kinds.filter(({ outcome }) => outcome === null).map(({ service }) => service),
  )
  return [
    {
      value,
      rate: averaged(samples.map(rateOf)),
      latency: latencyOf(times),
      operations: operationsOf(samples),
      errors: samples.reduce((sum, { errors }) => sum + errors, 0),
      firstError: samples.find(({ firstError }) => firstError !== null)?.firstError ?? null,
      runs: runs.map(({ run, sample: { calls, lostMs, machine, connections } }) => ({
        run,
        calls,
        lostMs,
        machine,
        connections,
      })),
      ...(refused === undefined ? {} : { refused }),
      invalid: runs.flatMap(({ run, sample }) =>
        sample.invalid.map(({ message }) => `run ${run}: ${message}`),
      ),
    },
  ]
}

/** Through every run, not through means: the spread of runs counts in the errors of the fit. Missing points are left out. */
function fitOf(all: readonly CurvePoint[]): UslFit | null {
  const points = all.filter((point) => !isMissing(point))
  const xs = points.flatMap(({ value: n, rate }) => rate.runs.map((x) => ({ n, x })))
  if (points.length < 3 || xs.every(({ x }) => x === 0)) return null
  return uslFit(xs)
}
