import { aboutSize, formatSize } from '../../../data/size-list.ts'
import { listed } from '../../../report/words/listed.ts'
import { formatMs, formatTimes } from '../../../report/words/units.ts'
import { breakEvenHitRate } from '../hit-rate.ts'
import type { CacheInfo, CachePoint, CacheSeries, SizesResult } from '../result.ts'

/** A curve over sizes. */
type Curve = readonly { readonly size: number; readonly ms: number }[]

/** A cache in front of all stores, and for a remote one whether it pays. */
export function cacheFindings({ cache: all }: SizesResult, { name, kind }: CacheInfo): string[] {
  const own = all.filter(({ cache, points }) => cache === name && points.length > 0)
  const sizes = own[0]?.points.map(({ size }) => size) ?? []
  const [first, last] = [sizes[0], sizes.at(-1)]
  if (first === undefined || last === undefined) return []
  const hits = [first, last].map(
    (size) => `${timeRange(own.map((series) => pointAt(series, size)?.hit.p50Ms))} at ${formatSize(size)}`,
  )
  const gains = own
    .map((series) => pointAt(series, last))
    .map((point) => (point === undefined ? undefined : point.store.p50Ms / point.hit.p50Ms))
  const inAll = `A hit in ${name} takes ${[...new Set(hits)].join(' and ')}${shapeOf(own)}; at ${formatSize(last)} a read without it takes ${factorRange(gains)} as long.`
  return [
    inAll,
    ...(kind === 'remote' ? own.flatMap(({ store, points }) => remoteFinding(store, name, points)) : []),
  ]
}

function pointAt({ points }: CacheSeries, size: number): CachePoint | undefined {
  return points.find((point) => point.size === size)
}

/** Hits that hardly grow with the size are worth a word; the times themselves tell of others. */
function shapeOf(series: readonly CacheSeries[]): string {
  const slopes = series.flatMap(({ hitSlope }) => (hitSlope === null ? [] : [hitSlope]))
  if (slopes.length === 0) return ''
  return slopes.every((slope) => Math.abs(slope) <= FLAT) ? ', about the same at every size' : ''
}

/** Slope on log-log axes up to which a curve counts as flat. */
const FLAT = 0.05

function timeRange(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined)
  const [low, high] = [formatMs(Math.min(...known)), formatMs(Math.max(...known))]
  return low === high ? low : `${low} to ${high}`
}

function factorRange(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined)
  const [low, high] = [formatTimes(Math.min(...known)), formatTimes(Math.max(...known))]
  return `${low === high ? low : `${low} to ${high}`} times`
}

/** A remote cache must be fetched from as well: beyond some size it may lose, and every miss pays for it. */
function remoteFinding(store: string, cache: string, points: CacheSeries['points']): string[] {
  const loses = crossing(
    points.map(({ size, hit }) => ({ size, ms: hit.p50Ms })),
    points.map(({ size, store: plain }) => ({ size, ms: plain.p50Ms })),
  )
  const costs = points.map(({ size, store: plain, hit, miss }) => ({
    size,
    rate: breakEvenHitRate({ storeMs: plain.p50Ms, hitMs: hit.p50Ms, missMs: miss.p50Ms }),
  }))
  const paying = costs.filter(({ rate }) => rate <= 1)
  const lost =
    loses === undefined
      ? []
      : [`From about ${aboutSize(loses)} on, a hit in ${cache} is slower than ${store} itself.`]
  if (paying.length === 0) return [...lost, `${cache} in front of ${store} pays at no hit rate.`]
  const rates = paying.map(({ rate }) => Math.round(rate * 100))
  const range =
    Math.min(...rates) === Math.max(...rates)
      ? `${rates[0]} %`
      : `${Math.min(...rates)} to ${Math.max(...rates)} %`
  const never = costs.filter(({ rate }) => rate > 1).map(({ size }) => formatSize(size))
  const exception = never.length === 0 ? '' : `, and never at ${listed(never)}`
  return [
    ...lost,
    `With the cost of misses counted, ${cache} in front of ${store} pays from a hit rate of ${range} on, depending on size${exception}.`,
  ]
}

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
