import { Histogram, histogramJson } from '@unikv/core/histogram'
import type { NamedResult } from '../../src/compare/sides.ts'
import type { Row } from '../../src/cube/row.ts'
import { fastRandom, type Random } from '../../src/random/random.ts'
import { run } from '../../src/studies/run/run.ts'
import type { AnyStudy } from '../../src/study/study.ts'
import { drive } from '../studies/run/drive.ts'

/** A run whose machine, data and configuration every planted result has. */
const measured = await drive({ preset: 'a', runs: 1 })

/** A result of `bench run` whose rows are given. */
export function resultOf(rows: readonly Row[], name: string, other: object = {}): NamedResult {
  const study = { ...run, report: { ...run.report, rows: () => rows } } as unknown as AnyStudy
  return { name, study, result: { ...measured, ...other } }
}

/** Rows of runs of one operation: the times of each run in milliseconds, one operation after the other. */
export function timesRows(runs: readonly (readonly number[])[], operation = 'read', store = 'here'): Row[] {
  return runs.flatMap((times, i): Row[] => {
    const row = { store, run: i + 1, unit: 'ms', outcome: 'success' } as const
    const histogram = new Histogram()
    for (const ms of times) histogram.record(Math.round(ms * 1e6))
    const counted = times.reduce((sum, ms) => sum + ms, 0)
    return [
      { ...row, dimensions: {}, measure: 'counted', value: counted },
      { ...row, dimensions: {}, measure: 'rate', unit: '1/s', value: (1_000 * times.length) / counted },
      { ...row, dimensions: { operation }, measure: 'service', value: histogramJson(histogram) },
    ]
  })
}

/** A result in which runs have these rates, and as many misses. */
export function ratedResult(rates: readonly number[], name: string, misses = 0): NamedResult {
  const rows = rates.flatMap((rate, i): Row[] => {
    const times = timesRows([Array.from({ length: 100 }, () => 1_000 / rate)])
    const missed = new Histogram()
    for (let miss = 0; miss < misses; miss++) missed.record(1_000)
    const [counted, perSecond, service] = times as [Row, Row, Row]
    const miss: Row = { ...service, outcome: 'miss', value: histogramJson(missed) }
    return [counted, perSecond, service, ...(misses > 0 ? [miss] : [])].map((row) => ({ ...row, run: i + 1 }))
  })
  return resultOf(rows, name)
}

/** Draws of a normal law. */
export function normal(random: Random): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}

/**
 * Invocations of the same thing: their means differ by `between`, and the runs of each by `within` beside.
 *
 * @param level of the mean, such as 1.37 for a store that is slower by that
 */
export function invocations(
  seed: number,
  { between, within, level = 1 }: { between: number; within: number; level?: number },
): (name: string, runs?: number) => NamedResult {
  const draw = normal(fastRandom(seed))
  return (name, runs = 5) => {
    const moment = Math.exp(between * draw())
    return ratedResult(
      Array.from({ length: runs }, () => 1_000 * level * moment * Math.exp(within * draw())),
      name,
    )
  }
}
