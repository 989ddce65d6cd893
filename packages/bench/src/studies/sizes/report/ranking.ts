import { formatSize } from '../../../data/size-list.ts'
import { listed } from '../../../report/words/listed.ts'
import { formatTimes } from '../../../report/words/units.ts'
import { durabilitiesOf } from '../../../run/durability-words.ts'
import type { LatencySeries, SizesResult } from '../result.ts'
import { isSlower, isVague, leastRuns, type Standing, standings } from './standings.ts'

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
  const kinds = (['sequential', 'parallel'] as const).flatMap((mode) =>
    (['read', 'write'] as const).map((operation) => ({ mode, operation })),
  )
  const found = kinds.flatMap(({ mode, operation }) => {
    const series = result.latency.filter((one) => one.operation === operation && one.mode === mode)
    const parts = stretches(series).map(({ sizes, at }) => `${where(sizes, series)}: ${verdict(at)}.`)
    return parts.length === 0 ? [] : [`${kindOf(series)}. ${parts.join(' ')}`]
  })
  const promises = durabilitiesOf(result)
  const isComparable = result.latency.some(({ points }) =>
    points.some(({ runsMs }) => runsMs.length >= leastRuns),
  )
  const tooFew = 'There are too few runs to compare the stores: three are needed (--runs 3 or more).'
  return [...(isComparable ? found : [tooFew]), ...(promises === undefined ? [] : [promises])]
}

function stretches(series: readonly LatencySeries[]): Stretch[] {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ size }) => size)))].sort(
    (a, b) => a - b,
  )
  const found: Stretch[] = []
  for (const size of sizes) {
    const here = standings(series, size)
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
  return all
    .filter((one) => !isSlower(one))
    .map(({ store }) => store)
    .sort()
    .join(' ')
}

function kindOf([first]: readonly LatencySeries[]): string {
  const verb = { read: 'Reads', write: 'Writes', delete: 'Deletes' }[first?.operation ?? 'read']
  return `${verb}, ${first?.mode === 'parallel' ? `${first.inFlight} in flight, by calls a second` : 'one at a time, by the median'}`
}

function where(sizes: readonly number[], series: readonly LatencySeries[]): string {
  const [first, last] = [sizes[0] as number, sizes.at(-1) as number]
  if (first === last) return formatSize(first)
  const isAll = series.every(({ points }) => points.length <= sizes.length)
  return isAll ? 'At every size' : `${formatSize(first)} to ${formatSize(last)}`
}

function verdict(at: Stretch['at']): string {
  const tied = (at[0] as readonly Standing[]).filter((one) => !isSlower(one)).map(({ store }) => store)
  const slower = (at[0] as readonly Standing[]).filter(isSlower).map(({ store }) => store)
  const lead =
    tied.length === 1 ? `${tied[0]} is fastest` : `${listed(tied)} cannot be told apart${apart(tied, at)}`
  if (slower.length === 0) return lead
  return `${lead}; ${listed(slower.map((store) => `${store} takes ${times(store, at)}`))}`
}

function apart(tied: readonly string[], at: Stretch['at']): string {
  const most = Math.max(
    ...at.flatMap((all) => all.filter(({ store }) => tied.includes(store)).map(({ ratio }) => ratio.mean)),
  )
  if (most < APART) return ''
  return `, since the runs disagree (they differ by up to ${formatTimes(most)} times)`
}

/** At one size with its interval, over several sizes as a range of means. */
function times(store: string, at: Stretch['at']): string {
  const own = at.flatMap((all) => all.filter((one) => one.store === store))
  const ratios = own.filter((one) => !isVague(one)).map(({ ratio }) => ratio)
  if (ratios.length === 0) return 'longer, by a factor that varies too much to be told'
  const [first] = ratios
  if (ratios.length === 1 && first !== undefined && first.low !== null && first.high !== null)
    return `${formatTimes(first.mean)} times as long (95 % CI ${formatTimes(first.low)} to ${formatTimes(first.high)})`
  const means = ratios.map(({ mean }) => mean)
  const [low, high] = [formatTimes(Math.min(...means)), formatTimes(Math.max(...means))]
  return `${low === high ? low : `${low} to ${high}`} times as long`
}
