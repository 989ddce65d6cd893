import { type Histogram, histogramOf } from '@unikv/core/histogram'
import { mergedHistogram, percentileMs } from '../statistics/histograms.ts'
import { summarise } from '../statistics/summary.ts'
import type { Row } from './row.ts'

/**
 * Values of dimensions, by name. Store, run and outcome are among them; `levels+reader` are two, whose values stand in one text with
 * a tab between.
 */
export type Place = Readonly<Record<string, string | number>>

/** A figure, and half of its 95 % interval where runs tell one. */
export interface Estimate {
  /** `null`: it was not measured. */
  readonly value: number | null
  readonly halfWidth?: number | null | undefined
  /** The runs that tell it. */
  readonly runs?: number | undefined
}

/** The rows of one place. Its figures are of rows without a further dimension; `at` leads to those with one. */
export class Cell {
  readonly place: Place
  readonly #rows: readonly Row[]
  /** The dimensions whose values are given. */
  readonly #fixed: ReadonlySet<string>

  constructor(rows: readonly Row[], place: Place) {
    this.#rows = rows
    this.place = place
    this.#fixed = new Set(Object.keys(place).flatMap((name) => name.split('+')))
  }

  /** The rows that have these values, too. */
  at(more: Place): Cell {
    const entries = Object.entries(more)
    const rows = this.#rows.filter((row) => entries.every(([name, value]) => valueOf(row, name) === value))
    return new Cell(rows, { ...this.place, ...more })
  }

  /** Without rows that have no value of one of these dimensions. */
  having(names: readonly string[]): Cell {
    const rows = this.#rows.filter((row) => names.every((name) => valueOf(row, name) !== undefined))
    return new Cell(rows, this.place)
  }

  /** The values of a dimension, as they come. */
  valuesOf(name: string): readonly (string | number)[] {
    return [...new Set(this.#rows.flatMap((row) => valueOf(row, name) ?? []))]
  }

  /** A cell for each value of a dimension. */
  split(name: string, values: readonly (string | number)[]): readonly (readonly [string | number, Cell])[] {
    const groups = new Map<string | number | undefined, Row[]>()
    for (const row of this.#rows) {
      const value = valueOf(row, name)
      const group = groups.get(value)
      if (group === undefined) groups.set(value, [row])
      else group.push(row)
    }
    return values.map((value) => [value, new Cell(groups.get(value) ?? [], { ...this.place, [name]: value })])
  }

  /** Rows of a measure, of this very place. */
  rows(measure: string, outcome = 'success'): readonly Row[] {
    const isAny = this.#fixed.has('outcome')
    return this.#own.filter((row) => row.measure === measure && (isAny || row.outcome === outcome))
  }

  /** A statistic of each run, such as its mean, in the order of the runs. */
  runs(measure: string, statistic?: string): readonly number[] {
    return this.rows(measure)
      .filter(({ run }) => run !== null)
      .flatMap((row) => valueIn(row, statistic) ?? [])
  }

  /** The mean of the runs of a measure; without an interval where it was kept of all runs alone. */
  mean(measure: string, statistic?: string): Estimate {
    const runs = this.runs(measure, statistic)
    if (runs.length === 0) return { value: this.figure(measure, statistic) }
    const { mean, halfWidth } = summarise(runs)
    return { value: mean, halfWidth, runs: runs.length }
  }

  /** A figure of no single run, or of that of the place; of all runs together, where distributions were kept. */
  figure(measure: string, statistic?: string): number | null {
    const { run = null } = this.place
    const found = this.rows(measure).find((row) => row.run === run && row.statistic === statistic)
    if (typeof found?.value === 'number') return found.value
    const all = statistic === undefined ? null : this.distribution(measure)
    return all === null || statistic === undefined ? null : statisticOf(all, statistic)
  }

  /** The sum of a measure over runs, for some outcomes; `undefined`: for all. */
  sum(measure: string, isCounted: (outcome: string) => boolean = () => true): number {
    return summed(this.#own, measure, isCounted)
  }

  /** The same of this place and all below it. */
  total(measure: string, isCounted: (outcome: string) => boolean): number {
    return summed(this.#rows, measure, isCounted)
  }

  /** Whether something was measured here. */
  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** The distribution of all runs together. */
  distribution(measure: string, outcome = 'success'): Histogram | null {
    const kept = this.rows(measure, outcome).flatMap(({ value }) =>
      typeof value === 'number' ? [] : [value],
    )
    return mergedHistogram(kept) ?? null
  }

  get #own(): readonly Row[] {
    return this.#rows.filter(({ dimensions }) =>
      Object.keys(dimensions).every((name) => this.#fixed.has(name)),
    )
  }
}

function summed(rows: readonly Row[], measure: string, isCounted: (outcome: string) => boolean): number {
  return rows.reduce(
    (sum, { measure: its, outcome, value }) =>
      its === measure && isCounted(outcome) && typeof value === 'number' ? sum + value : sum,
    0,
  )
}

/** A statistic of a row; of a distribution, if it was kept. */
function valueIn({ value, statistic: its }: Row, statistic: string | undefined): number | null {
  if (typeof value === 'number') return its === statistic ? value : null
  return statistic === undefined ? null : statisticOf(histogramOf(value), statistic)
}

/** In milliseconds: `mean`, `min`, `max`, or a percentile such as `p999`; `null` unless ten values lie beyond it. */
export function statisticOf(times: Histogram, statistic: string): number | null {
  if (times.count === 0) return null
  if (statistic === 'mean') return times.mean / 1e6
  if (statistic === 'min' || statistic === 'max') return times[statistic] / 1e6
  const [, whole = '', part = ''] = /^p(\d\d)(\d*)$/.exec(statistic) ?? []
  return whole === '' ? null : percentileMs(times, Number(`${whole}.${part}`))
}

/** The value of a dimension of a row, or of several; `undefined`: the first one says nothing here. */
function valueOf(row: Row, name: string): string | number | undefined {
  // Asked for each row of each place, and nearly always of one dimension.
  if (!name.includes('+')) return ownValue(row, name)
  const [first, ...others] = name.split('+').map((one) => ownValue(row, one))
  if (first === undefined || others.length === 0) return first
  return [first, ...others.filter((value) => value !== undefined)].join('\t')
}

function ownValue({ store, run, outcome, dimensions }: Row, name: string): string | number | undefined {
  if (name === 'run') return run ?? undefined
  if (name === 'store') return store
  return name === 'outcome' ? outcome : dimensions[name]
}
