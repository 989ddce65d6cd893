import { Cell } from '../../../cube/cell.ts'
import { aboutSize, formatSize } from '../../../data/size-list.ts'
import { formatMs, formatTimes, listed } from '../../../report/words.ts'
import { logLogSlope, summarise } from '../../../statistics/summary.ts'
import type { CacheInfo, SizesResult } from '../config.ts'
import { breakEvenHitRate, type CacheCosts, costsBySize } from '../hit-rate.ts'
import { notDrawn } from '../iyengar/drawn.ts'
import { rangeText, rankings } from './ranking.ts'
import { algorithmsOf } from './summary.ts'

/** The findings of a result, in sentences: which store is faster and by how much, the gain of caches, and doubts. */
export function findings(result: SizesResult): string[] {
  // The figures of a paper have many sizes, and a sentence about each would hide the others.
  return [
    ...notDrawn(result),
    ...(result.config.preset === null ? rankings(result) : []),
    ...result.caches.flatMap((cache) => cacheFindings(result, cache)),
    ...algorithmsOf(result, 'compression').flatMap((algorithm) => compressionFinding(result, algorithm)),
    ...noiseFinding(result),
  ]
}

/** A cache in front of all stores, and for a remote one whether it pays. */
function cacheFindings({ rows }: SizesResult, { name, kind }: CacheInfo): readonly string[] {
  const all = new Cell(rows, {}).at({ cache: name })
  const own = all.valuesOf('store').map((store) => ({ store, points: costsBySize(all.at({ store })) }))
  const sizes = own[0]?.points.map(({ size }) => size) ?? []
  const [first, last] = [sizes[0], sizes.at(-1)]
  if (first === undefined || last === undefined) return []
  const at = (size: number): readonly CacheCosts[] =>
    own.flatMap(({ points }) => points.filter((point) => point.size === size))
  const hits = [first, last].map(
    (size) =>
      `${rangeText(
        at(size).map(({ hitMs }) => hitMs),
        formatMs,
      )} at ${formatSize(size)}`,
  )
  const gains = at(last).map(({ storeMs, hitMs }) => storeMs / hitMs)
  return [
    `A hit in ${name} takes ${[...new Set(hits)].join(' and ')}${shapeOf(own)}; at ${formatSize(last)} a read without it takes ${rangeText(gains, formatTimes)} times as long.`,
    ...(kind === 'remote' ? own.flatMap(({ store, points }) => remoteFinding(`${store}`, name, points)) : []),
  ]
}

/** Hits that hardly grow with the size are worth a word; the times themselves tell of others. */
function shapeOf(series: readonly { readonly points: readonly CacheCosts[] }[]): string {
  const slopes = series
    .map(({ points }) => logLogSlope(points.map(({ size, hitMs }) => [size, hitMs])))
    .filter(Number.isFinite)
  const isFlat = slopes.length > 0 && slopes.every((slope) => Math.abs(slope) <= FLAT)
  return isFlat ? ', about the same at every size' : ''
}

/** Slope on log-log axes up to which a curve counts as flat. */
const FLAT = 0.05

/** A remote cache must be fetched from as well: beyond some size it may lose, and every miss pays for it. */
function remoteFinding(store: string, cache: string, points: readonly CacheCosts[]): readonly string[] {
  const loses = crossing(
    points.map(({ size, hitMs }) => ({ size, ms: hitMs })),
    points.map(({ size, storeMs }) => ({ size, ms: storeMs })),
  )
  const costs = points.map((point) => ({ size: point.size, rate: breakEvenHitRate(point) }))
  const paying = costs.filter(({ rate }) => rate <= 1)
  const lost =
    loses === undefined
      ? []
      : [`From about ${aboutSize(loses)} on, a hit in ${cache} is slower than ${store} itself.`]
  if (paying.length === 0) return [...lost, `${cache} in front of ${store} pays at no hit rate.`]
  const range = rangeText(
    paying.map(({ rate }) => Math.round(rate * 100)),
    String,
  )
  const never = costs.filter(({ rate }) => rate > 1).map(({ size }) => formatSize(size))
  const exception = never.length === 0 ? '' : `, and never at ${listed(never)}`
  return [
    ...lost,
    `With the cost of misses counted, ${cache} in front of ${store} pays from a hit rate of ${range} % on, depending on size${exception}.`,
  ]
}

/** A curve over sizes. */
type Curve = readonly { readonly size: number; readonly ms: number }[]

/**
 * The size from which on `rising` stays above `other`, between two sizes by straight lines on log-log axes;
 * `undefined` if it does not end above, or always was.
 */
export function crossing(rising: Curve, other: Curve): number | undefined {
  for (let i = rising.length - 1; i > 0; i--) {
    const [before, after] = [gap(rising, other, i - 1), gap(rising, other, i)]
    if (after <= 0) return undefined
    if (before > 0) continue
    const share = before / (before - after)
    const [from, to] = [(rising[i - 1] as Curve[number]).size, (rising[i] as Curve[number]).size]
    return Math.round(Number((from * (to / from) ** share).toPrecision(2)))
  }
  return undefined
}

function gap(a: Curve, b: Curve, index: number): number {
  return Math.log((a[index] as Curve[number]).ms / (b[index] as Curve[number]).ms)
}

function compressionFinding({ rows }: SizesResult, algorithm: string): readonly string[] {
  const all = new Cell(rows, {}).at({ algorithm })
  const size = Math.max(...all.valuesOf('size').map(Number))
  const meanMs = (operation: string): number => all.at({ size, operation }).mean('service', 'mean').value ?? 0
  const ratio = all.at({ size, operation: 'encode' }).figure('ratio') ?? 0
  return [
    `${algorithm} at ${formatSize(size)}: ${ratio.toFixed(ratio >= 10 ? 0 : 1)} times smaller; compressing takes ${formatTimes(meanMs('encode') / meanMs('decode'))} times as long as decompressing.`,
  ]
}

/** Standard deviation of the runs, as a share of their mean, beyond which they disagree. */
const NOISY = 0.25

/** A warning where half of the points say little, since readers of a report trust its curves. */
function noiseFinding({ rows }: SizesResult): readonly string[] {
  const runs = new Map<string, number[]>()
  for (const { store, dimensions, run, statistic, value } of rows) {
    const isTold = dimensions['way'] !== 'without cache' && dimensions['hitRate'] === undefined
    const place = JSON.stringify([store, dimensions])
    if (isTold && run !== null && statistic === 'mean')
      runs.set(place, [...(runs.get(place) ?? []), Number(value)])
  }
  const shares = [...runs.values()]
    .map((values) => summarise(values))
    .flatMap(({ mean, deviation }) => (deviation === null ? [] : [deviation / mean]))
    .sort((a, b) => a - b)
  const median = shares[shares.length >> 1]
  if (median === undefined || median <= NOISY) return []
  return [
    `The runs disagree: at half of the points their standard deviation is more than ${Math.round(median * 100)} % of the mean. The machine was busy with other work; measure again, or with more runs.`,
  ]
}
