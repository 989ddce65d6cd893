import { breakEvenHitRate } from '../sizes/hit-rate.ts'
import type {
  CacheInfo,
  CachePoint,
  CacheSeries,
  CodecSeries,
  LatencySeries,
  SizesResult,
} from '../sizes/result.ts'
import { formatSize } from '../sizes/size-list.ts'
import { formatCount, formatMs } from './units.ts'

/** What a result shows, in sentences: who is fastest where, where curves cross, what caches gain. */
export function findings(result: SizesResult): string[] {
  return [
    ...ranking(result, 'read'),
    ...ranking(result, 'write'),
    ...result.caches.flatMap((cache) => cacheFindings(result, cache)),
    ...result.compression.flatMap(compressionFinding),
    ...noiseFinding(result),
  ]
}

/** A curve over sizes. */
type Curve = readonly { readonly size: number; readonly ms: number }[]

function ranking({ latency }: SizesResult, operation: LatencySeries['operation']): string[] {
  const series = latency.filter(
    (one) => one.operation === operation && one.mode === 'sequential' && one.points.length > 0,
  )
  if (series.length < 2 || series.some(({ points }) => points.some((point) => point.halfWidthMs === null)))
    return []
  const stretches: { readonly winner: string | undefined; readonly sizes: number[] }[] = []
  for (const { size } of (series[0] as LatencySeries).points) {
    const winner = clearlyFastest(series, size)
    const last = stretches.at(-1)
    if (last !== undefined && last.winner === winner) last.sizes.push(size)
    else stretches.push({ winner, sizes: [size] })
  }
  const verb = { read: 'Reads', write: 'Writes', delete: 'Deletes' }[operation]
  const only = stretches.length === 1
  const parts = stretches.map(({ winner, sizes }) => {
    const where = only ? 'at every size' : stretch(sizes)
    return winner === undefined ? `no clear difference ${where}` : `${winner} is fastest ${where}`
  })
  return [`${verb}: ${parts.join('; ')}.`]
}

function stretch(sizes: readonly number[]): string {
  const [first, last] = [sizes[0] as number, sizes.at(-1) as number]
  return first === last ? `at ${formatSize(first)}` : `from ${formatSize(first)} to ${formatSize(last)}`
}

/** The store whose confidence interval lies below those of all others. */
function clearlyFastest(series: readonly LatencySeries[], size: number): string | undefined {
  const found = series
    .flatMap(({ store, points }) => {
      const point = points.find((one) => one.size === size)
      return point === undefined ? [] : [{ store, ms: point.meanMs, halfWidthMs: point.halfWidthMs ?? 0 }]
    })
    .sort((one, other) => one.ms - other.ms)
  const [best, ...others] = found
  if (best === undefined) return undefined
  const isClear = others.every((other) => best.ms + best.halfWidthMs < other.ms - other.halfWidthMs)
  return isClear ? best.store : undefined
}

/** A cache in front of all stores, and for a remote one whether it pays. */
function cacheFindings({ cache: all }: SizesResult, { name, kind }: CacheInfo): string[] {
  const own = all.filter(({ cache, points }) => cache === name && points.length > 0)
  const sizes = own[0]?.points.map(({ size }) => size) ?? []
  const [first, last] = [sizes[0], sizes.at(-1)]
  if (first === undefined || last === undefined) return []
  const hits = [first, last].map(
    (size) => `${timeRange(own.map((series) => pointAt(series, size)?.hit.meanMs))} at ${formatSize(size)}`,
  )
  const gains = own
    .map((series) => pointAt(series, last))
    .map((point) => (point === undefined ? undefined : point.store.meanMs / point.hit.meanMs))
  const inAll = `A hit of ${name} takes ${[...new Set(hits)].join(' and ')}${shapeOf(own)}; at ${formatSize(last)} a store takes ${factorRange(gains)} as long.`
  return [
    inAll,
    ...(kind === 'remote' ? own.flatMap(({ store, points }) => remoteFinding(store, name, points)) : []),
  ]
}

function pointAt({ points }: CacheSeries, size: number): CachePoint | undefined {
  return points.find((point) => point.size === size)
}

/** Flat if the hits of every store are. */
function shapeOf(series: readonly CacheSeries[]): string {
  const slopes = series.flatMap(({ hitSlope }) => (hitSlope === null ? [] : [hitSlope]))
  if (slopes.length === 0) return ''
  if (slopes.every((slope) => Math.abs(slope) <= FLAT)) return ', flat in size'
  const [low, high] = [Math.min(...slopes).toFixed(2), Math.max(...slopes).toFixed(2)]
  return `, with a log-log slope of ${low === high ? low : `${low} to ${high}`}`
}

/** Slope up to which a curve counts as flat. */
const FLAT = 0.05

function timeRange(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined)
  const [low, high] = [formatMs(Math.min(...known)), formatMs(Math.max(...known))]
  return low === high ? low : `${low} to ${high}`
}

function factorRange(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined)
  const [low, high] = [formatCount(Math.min(...known)), formatCount(Math.max(...known))]
  return `${low === high ? low : `${low} to ${high}`} times`
}

/** A remote cache must be fetched from as well: beyond some size it may lose, and every miss pays for it. */
function remoteFinding(store: string, cache: string, points: CacheSeries['points']): string[] {
  const loses = crossing(
    points.map(({ size, hit }) => ({ size, ms: hit.meanMs })),
    points.map(({ size, store: plain }) => ({ size, ms: plain.meanMs })),
  )
  const costs = points.map(({ size, store: plain, hit, miss }) => ({
    size,
    rate: breakEvenHitRate({ storeMs: plain.meanMs, hitMs: hit.meanMs, missMs: miss.meanMs }),
  }))
  const paying = costs.filter(({ rate }) => rate <= 1)
  const lost =
    loses === undefined
      ? []
      : [`From about ${formatSize(loses)} on, a hit of ${cache} is slower than ${store} itself.`]
  if (paying.length === 0) return [...lost, `${cache} in front of ${store} pays at no hit rate.`]
  const rates = paying.map(({ rate }) => Math.round(rate * 100))
  const range =
    Math.min(...rates) === Math.max(...rates)
      ? `${rates[0]} %`
      : `${Math.min(...rates)} to ${Math.max(...rates)} %`
  const never = costs.filter(({ rate }) => rate > 1).map(({ size }) => formatSize(size))
  const exception = never.length === 0 ? '' : `, and never at ${new Intl.ListFormat('en').format(never)}`
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

function compressionFinding({ algorithm, points }: CodecSeries): string[] {
  const last = points.at(-1)
  if (last === undefined) return []
  const times = last.encode.meanMs / last.decode.meanMs
  const ratio = last.ratio.toFixed(last.ratio >= 10 ? 0 : 1)
  return [
    `${algorithm} at ${formatSize(last.size)}: ${ratio} times smaller; compressing takes ${times.toFixed(1)} times as long as decompressing.`,
  ]
}

/** Standard deviation of the runs, as a share of their mean, beyond which they disagree. */
const NOISY = 0.25

/** A warning where most points say little, since whoever reads a report trusts its curves. */
function noiseFinding({ latency }: SizesResult): string[] {
  const shares = latency
    .flatMap(({ points }) => points)
    .flatMap(({ meanMs, deviationMs }) => (deviationMs === null ? [] : [deviationMs / meanMs]))
    .sort((a, b) => a - b)
  const median = shares[shares.length >> 1]
  if (median === undefined || median <= NOISY) return []
  return [
    `The runs disagree: at half of the points their standard deviation is more than ${Math.round(median * 100)} % of the mean. The machine was busy with other work; measure again, or with more runs.`,
  ]
}
