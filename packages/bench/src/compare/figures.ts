import { type Histogram, histogramOf } from '@unikv/core/histogram'
import type { Row, Unit } from '../cube/row.ts'
import { mergedHistogram, percentileMs } from '../statistics/histograms.ts'
import { meanOf, sumOf } from '../statistics/summary.ts'
import { directionOf, isTail, type ResultFigure } from './measures.ts'

/** Rows of one store at one place. */
export interface Place {
  readonly store: string
  readonly dimensions: Row['dimensions']
  readonly rows: readonly Row[]
}

const percentiles = [50, 95, 99] as const

/** The figures of a result, made from its rows (record 0107). */
export function figuresOf(rows: readonly Row[]): readonly ResultFigure[] {
  // Seconds of a run are not places of their own.
  const places = placesOf(rows.filter(({ dimensions }) => dimensions['second'] === undefined))
  return [
    ...places.flatMap((place) => [...timeFigures(place), ...numberFigures(place)]),
    ...places.flatMap(shareFigures),
  ]
}

/** Rows by store and dimensions. */
function placesOf(rows: readonly Row[]): readonly Place[] {
  const found = new Map<string, Place & { readonly rows: Row[] }>()
  for (const row of rows) {
    const { store, dimensions } = row
    const key = placeKey({ store, dimensions })
    const place = found.get(key)
    if (place === undefined) found.set(key, { store, dimensions, rows: [row] })
    else place.rows.push(row)
  }
  return [...found.values()]
}

/** Equal for the same store and dimensions. */
function placeKey({ store, dimensions }: Pick<Place, 'store' | 'dimensions'>): string {
  return JSON.stringify([store, Object.entries(dimensions).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

/** Equal for the same figure of the same place. */
export function figureKey(one: Pick<ResultFigure, 'figure' | 'store' | 'dimensions'>): string {
  return `${one.figure} ${placeKey(one)}`
}

/** Operations that a row tells of. */
function countOf({ value }: Row): number {
  return typeof value === 'number' ? value : value.count
}

/** Means and percentiles of distributions: of response times at a rate, and of service times without one. */
function timeFigures({ store, dimensions, rows }: Place): readonly ResultFigure[] {
  const times = rows.filter(
    ({ outcome, value, run }) => outcome === 'success' && typeof value === 'object' && run !== null,
  )
  const measure = times.some((row) => row.measure === 'response') ? 'response' : 'service'
  const kept = times.flatMap((row) =>
    row.measure === measure && typeof row.value === 'object' && row.value.count > 0 ? [row.value] : [],
  )
  if (kept.length === 0) return []
  const runs = kept.map(histogramOf)
  const all = mergedHistogram(kept) as Histogram
  const mean = runs.map((run) => run.mean / 1e6)
  return [
    { store, dimensions, ...named('mean', 'ms', 'lower'), runs: mean, whole: all.mean / 1e6 },
    ...percentiles.flatMap((percent): readonly ResultFigure[] => {
      const whole = percentileMs(all, percent)
      if (whole === null) return []
      const own = runs.flatMap((run) => percentileMs(run, percent) ?? [])
      const told = own.length === runs.length ? own : []
      return [{ store, dimensions, ...named(`p${percent}`, 'ms', 'lower'), runs: told, whole }]
    }),
  ]
}

/** Measures that are numbers: of each run, or of all. */
function numberFigures(place: Place): readonly ResultFigure[] {
  const { store, dimensions, rows } = place
  const numbers = rows.filter(({ outcome, value }) => outcome === 'success' && typeof value === 'number')
  const isSame = (a: Row, b: Row): boolean => a.measure === b.measure && a.statistic === b.statistic
  const firsts = numbers.filter((row, i) => numbers.findIndex((other) => isSame(row, other)) === i)
  return firsts.flatMap((first): readonly ResultFigure[] => {
    const group = numbers.filter((row) => isSame(row, first))
    const { measure, statistic, unit } = first
    const better = directionOf(first)
    // The rate of one operation follows from that of all.
    if (better === undefined || (measure === 'rate' && isOfOneKind(place))) return []
    // A median of all runs stands beside those of each, and is not a further run.
    const runs = group.filter(({ run }) => run !== null).map(({ value }) => Number(value))
    const all = group.find(({ run }) => run === null)
    const whole = all === undefined ? meanOf(runs) : Number(all.value)
    return [{ store, dimensions, ...named(nameOf(measure, statistic), unit, better), runs, whole }]
  })
}

/** Whether a place is of one kind of operation of runs that have several. */
function isOfOneKind({ dimensions, rows }: Place): boolean {
  return 'operation' in dimensions && rows.some(({ value }) => typeof value === 'object')
}

/** Times of operations are told by their statistic alone. */
function nameOf(measure: string, statistic: string | undefined): string {
  if (statistic === undefined) return measure
  return measure === 'service' || measure === 'response' ? statistic : `${measure} (${statistic})`
}

/** Shares that must not rise: operations that found no record, that failed, or that read what was written over. */
function shareFigures(place: Place): readonly ResultFigure[] {
  const { store, dimensions, rows } = place
  const ended = rows.filter(isOfOperations)
  const isFailure = ({ outcome }: Row): boolean => !['success', 'miss', 'conflict', 'stale'].includes(outcome)
  const share = (
    figure: string,
    all: readonly Row[],
    part: (row: Row) => boolean,
  ): readonly ResultFigure[] => {
    const numbers = [...new Set(all.map(({ run }) => run))]
    const shares = numbers.map((run) => {
      const own = all.filter((row) => row.run === run)
      const sum = sumOf(own, countOf)
      return sum === 0 ? 0 : sumOf(own.filter(part), countOf) / sum
    })
    if (shares.length === 0) return []
    const runs = numbers[0] === null ? [] : shares
    return [{ store, dimensions, ...named(figure, 'share', 'lower'), runs, whole: meanOf(shares) }]
  }
  const isRead = ({ measure }: Row): boolean => measure === 'reads'
  const stale = rows.filter(({ measure }) => measure === 'stale reads')
  const fresh = rows.filter(isRead).map((row) => ({ ...row, value: countOf(row) - sumOf(stale, countOf) }))
  const counted = ended.some(({ outcome }) => outcome === 'success') ? ended : []
  return [
    ...share('misses', counted, ({ outcome }) => outcome === 'miss'),
    ...share('failures', counted, isFailure),
    ...share('stale reads', [...fresh, ...stale], (row) => !isRead(row)),
  ]
}

/** Service times count each operation that ended; failures, and operations of studies that keep no times, are counted alone. */
function isOfOperations({ measure, value, dimensions }: Row): boolean {
  if (dimensions['operation'] === 'load') return false
  return measure === 'operations' || (measure === 'service' && typeof value === 'object')
}

function named(
  figure: string,
  unit: Unit,
  better: ResultFigure['better'],
): Pick<ResultFigure, 'figure' | 'unit' | 'better' | 'isTail'> {
  return { figure, unit, better, isTail: isTail(figure) }
}
