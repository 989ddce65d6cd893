import { Cell } from '../../../cube/cell.ts'
import type { Row } from '../../../cube/row.ts'
import { formatSize } from '../../../data/size-list.ts'
import { formatTimes, listed } from '../../../report/words.ts'
import { durabilitiesOf } from '../../../run/result.ts'
import { meanOf, type Ratio, ratioOf } from '../../../statistics/summary.ts'
import type { SizesResult } from '../config.ts'

/** A store at one size, compared with the fastest one. */
export interface Standing {
  readonly store: string
  /** How many times as long it takes as the fastest, within each run; `low` and `high` are `null` of too few runs. */
  readonly ratio: Ratio
}

/** Two runs say nothing of how much runs differ. */
const leastRuns = 3

/**
 * The stores of one kind of call at one size, the fastest first. Single calls are compared by their median, on which a pause of
 * the machine weighs little; many in flight by their mean, which is what makes calls a second.
 */
export function standings(at: Cell): Standing[] {
  const statistic = at.place['mode'] === 'sequential' ? 'p50' : 'mean'
  const found = at
    .valuesOf('store')
    .map((store) => ({ store: String(store), runsMs: at.at({ store }).runs('service', statistic) }))
    .filter(({ runsMs }) => runsMs.length > 0)
    .sort((one, other) => middle(one.runsMs) - middle(other.runsMs))
  const [fastest] = found
  if (fastest === undefined) return []
  return found.map(({ store, runsMs }) => ({ store, ratio: runRatio(runsMs, fastest.runsMs) }))
}

/** Whether a store is slower than the fastest beyond what chance explains. */
function isSlower({ ratio: { low } }: Standing): boolean {
  return low !== null && low > 1
}

/** Ends of an interval that lie further apart say nothing. */
const WIDEST = 25

/** Whether the runs vary too much to tell how many times as long a store takes. */
export function isVague({ ratio: { low, high } }: Standing): boolean {
  return low !== null && high !== null && high / low > WIDEST
}

/** Runs of all stores are interleaved: what disturbs the machine meanwhile cancels out of the ratio of one run. */
function runRatio(runs: readonly number[], fastest: readonly number[]): Ratio {
  const both = Math.min(runs.length, fastest.length)
  const ratio = ratioOf(runs.slice(0, both).map((ms, run) => ms / (fastest[run] as number)))
  return both < leastRuns ? { ...ratio, low: null, high: null } : ratio
}

/** A geometric mean, as the ratios. */
function middle(runs: readonly number[]): number {
  return meanOf(runs.map(Math.log))
}

/** Sizes at which the same stores are the fastest. */
interface Stretch {
  readonly sizes: number[]
  /** One list of standings for each size. */
  readonly at: (readonly Standing[])[]
}

/** Means of stores that cannot be told apart may still lie so far apart: then the runs disagree. */
const APART = 1.5

/** For each kind of call, which store is faster, and by how much. */
export function rankings(result: SizesResult): string[] {
  if (result.stores.length < 2) return []
  const promises = durabilitiesOf(result)
  const isComparable = result.rows.some(
    ({ dimensions: { mode }, run }) => mode !== undefined && run === leastRuns,
  )
  const tooFew = 'There are too few runs to compare the stores: three are needed (--runs 3 or more).'
  return [
    ...(isComparable ? kindsOf(result.rows).flatMap(ranked) : [tooFew]),
    ...(promises === undefined ? [] : [promises]),
  ]
}

/** Reads and writes one at a time, then in flight, as far as they were measured. */
function kindsOf(rows: readonly Row[]): readonly Cell[] {
  const all = new Cell(rows, {})
  return ['sequential', 'parallel'].flatMap((mode) =>
    ['read', 'write'].flatMap((operation) => {
      const kind = all.at({ mode, operation })
      return kind.valuesOf('inFlight').map((inFlight) => kind.at({ inFlight }))
    }),
  )
}

function ranked(kind: Cell): readonly string[] {
  const sizes = kind.valuesOf('size').map(Number)
  const parts = stretches(kind, sizes).map((one) => `${where(one.sizes, sizes)}: ${verdict(one.at)}.`)
  return parts.length === 0 ? [] : [`${kindText(kind.place)}. ${parts.join(' ')}`]
}

function stretches(kind: Cell, sizes: readonly number[]): Stretch[] {
  const found: Stretch[] = []
  for (const size of sizes.toSorted((a, b) => a - b)) {
    const here = standings(kind.at({ size }))
    if (here.length < 2) continue
    const last = found.at(-1)
    if (last !== undefined && fastestOf(last.at[0] ?? []) === fastestOf(here)) {
      last.sizes.push(size)
      last.at.push(here)
    } else found.push({ sizes: [size], at: [here] })
  }
  return found
}

/** The stores that cannot be told apart from the fastest, as one text. */
function fastestOf(all: readonly Standing[]): string {
  return tiedIn(all).sort().join(' ')
}

function tiedIn(all: readonly Standing[]): string[] {
  return all.filter((one) => !isSlower(one)).map(({ store }) => store)
}

function kindText({ operation, mode, inFlight }: Cell['place']): string {
  const how =
    mode === 'parallel' ? `${inFlight} in flight, by calls a second` : 'one at a time, by the median'
  return `${operation === 'read' ? 'Reads' : 'Writes'}, ${how}`
}

function where(sizes: readonly number[], all: readonly number[]): string {
  const [first, last] = [sizes[0] as number, sizes.at(-1) as number]
  if (first === last) return formatSize(first)
  return all.length <= sizes.length ? 'At every size' : `${formatSize(first)} to ${formatSize(last)}`
}

function verdict(at: Stretch['at']): string {
  const [first = []] = at
  const tied = tiedIn(first)
  const slower = first.filter(isSlower).map(({ store }) => store)
  const lead =
    tied.length === 1 ? `${tied[0]} is fastest` : `${listed(tied)} cannot be told apart${apart(tied, at)}`
  if (slower.length === 0) return lead
  return `${lead}; ${listed(slower.map((store) => `${store} takes ${times(store, at)}`))}`
}

function apart(tied: readonly string[], at: Stretch['at']): string {
  const own = at.flat().filter(({ store }) => tied.includes(store))
  const most = Math.max(...own.map(({ ratio }) => ratio.mean))
  if (most < APART) return ''
  return `, since the runs disagree (they differ by up to ${formatTimes(most)} times)`
}

/** At one size with its interval, over several sizes as a range of means. */
function times(store: string, at: Stretch['at']): string {
  const own = at.flat().filter((one) => one.store === store && !isVague(one))
  const [first] = own
  if (first === undefined) return 'longer, by a factor that varies too much to be told'
  const { mean, low, high } = first.ratio
  if (own.length === 1 && low !== null && high !== null)
    return `${formatTimes(mean)} times as long (95 % CI ${formatTimes(low)} to ${formatTimes(high)})`
  return `${rangeText(
    own.map(({ ratio }) => ratio.mean),
    formatTimes,
  )} times as long`
}

/** The least and the greatest of values; one where they look the same. */
export function rangeText(values: readonly number[], format: (value: number) => string): string {
  const [low, high] = [format(Math.min(...values)), format(Math.max(...values))]
  return low === high ? low : `${low} to ${high}`
}
