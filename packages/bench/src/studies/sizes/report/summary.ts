import type { Cell, Estimate } from '../../../cube/cell.ts'
import { cellText, percentile } from '../../../cube/columns.ts'
import type { Column, Dimension, View } from '../../../cube/view.ts'
import { formatSize } from '../../../data/size-list.ts'
import { percent } from '../../../report/words/percent.ts'
import { formatInterval, formatMs, formatTimes, variesTooMuch } from '../../../report/words/units.ts'
import { median } from '../../../statistics/median.ts'
import type { CachePoint, LatencySeries, SizesResult } from '../result.ts'
import { isVague, type Standing, standings } from './standings.ts'

export const size: Dimension = { name: 'size', key: 'size_bytes', text: (value) => formatSize(Number(value)) }
export const store: Dimension = { name: 'store' }
/** How calls are made: one after the other, or several in flight. */
export const mode: Dimension = { name: 'mode', values: ['sequential', 'parallel'] }
export const operation: Dimension = { name: 'operation', values: ['read', 'write', 'delete'] }

const middle: Column = { ...percentile('service', 'p50', { head: 'median' }), key: 'median_ms' }
const perSecond: Column = { head: 'calls a second', of: (cell) => cell.figure('rate') }
const mean: Column = { head: 'mean ± 95 % CI', text: (cell) => intervalText(meanOf(cell)) }

/** Fewer than three runs have no interval. */
export function meanOf(cell: Cell): Estimate {
  return ofThree(cell.mean('service', 'mean'))
}

/** Fewer than three runs have no interval. */
export function ofThree(found: Estimate): Estimate {
  return { ...found, halfWidth: (found.runs ?? 0) < 3 ? null : found.halfWidth }
}

function intervalText({ value, halfWidth = null }: Estimate): string {
  return value === null ? '–' : formatInterval(value, halfWidth)
}

/** The result as tables for people, for terminals and Markdown. */
export function summary(result: SizesResult): readonly View[] {
  return [
    latencyView(result, 'sequential'),
    latencyView(result, 'parallel'),
    cacheView(result),
    ...(['encryption', 'compression'] as const).flatMap((kind) =>
      result[kind].map(({ algorithm }) => codecView(kind, algorithm)),
    ),
  ]
}

function latencyView(result: SizesResult, its: LatencySeries['mode']): View {
  const times = standingColumn(result, 'times the fastest')
  const compared = result.stores.length > 1 ? [times] : []
  const p99 = percentile('service', 'p99')
  return {
    each: [mode, operation, { name: 'inFlight' }],
    within: { mode: its },
    names: [size, store],
    columns: its === 'parallel' ? [perSecond, ...compared, middle, p99] : [middle, ...compared, p99, mean],
    title: (place) =>
      `${place['operation']}, ${its === 'parallel' ? `${place['inFlight']} in flight` : 'one call at a time'}`,
  }
}

/** How many times as long as the fastest store at this place. */
function standingColumn({ latency }: SizesResult, head: string): Column {
  return {
    head,
    text: ({ place }) => {
      const series = latency.filter(
        (one) => one.mode === place['mode'] && one.operation === place['operation'],
      )
      const found = standings(series, Number(place['size']))
      return series.length < 2 ? '' : standingText(found.find((one) => one.store === place['store']))
    },
  }
}

/** Beside a plot: the time of each store at each size. */
export function besideLatency(result: SizesResult, its: LatencySeries['mode']): readonly Column[] {
  const times = standingColumn(result, '×')
  if (its === 'parallel')
    return [{ ...perSecond, text: (cell) => `${cellText({ ...perSecond }, cell)}/s` }, middle, times]
  return [middle, { ...mean, head: 'mean' }, percentile('service', 'p95'), times]
}

function standingText(standing: Standing | undefined): string {
  if (standing === undefined) return '–'
  const { mean: times, low, high } = standing.ratio
  if (times === 1 && (low === null || low === 1)) return '1'
  if (low === null || high === null) return formatTimes(times)
  if (isVague(standing)) return `${formatTimes(times)} (${variesTooMuch})`
  return `${formatTimes(times)} (${formatTimes(low)}–${formatTimes(high)})`
}

/** The real cost at a hit rate: measured if possible, otherwise computed with the full cost of misses. */
function cacheView(result: SizesResult): View {
  const isMeasured = isDriven(result)
  const how = isMeasured
    ? 'median; measured at each hit rate, mean of the middle run'
    : 'medians, misses at full cost'
  return cacheTable(result, isMeasured ? measuredAt : fullAt, `, ${how}`)
}

/** Whether hit rates were measured, not only computed. */
export function isDriven({ cache }: SizesResult): boolean {
  return cache.some(({ points }) => points.some(({ measured }) => measured.length > 0))
}

/** The tables of a cache that stand beside its plot. */
export function besideCache(result: SizesResult): readonly View[] {
  const full = cacheTable(result, fullAt, ': median by hit rate, misses at full cost')
  const paper = cacheTable(
    result,
    paperAt,
    ': median by hit rate in the model of the paper, as if a miss cost no more than the store',
  )
  if (!isDriven(result)) return [full, paper]
  return [cacheTable(result, measuredAt, ': measured, mean of the middle run by hit rate'), full, paper]
}

function cacheTable(
  { config, cache }: SizesResult,
  at: (point: CachePoint, rate: number) => string,
  how: string,
): View {
  const column = (head: string, told: (point: CachePoint) => string): Column => ({
    head,
    text: ({ place }) => {
      const series = cache.find((one) => one.store === place['store'] && one.cache === place['cache'])
      const point = series?.points.find((one) => one.size === place['size'])
      return point === undefined ? '–' : told(point)
    },
  })
  return {
    each: [store, { name: 'cache' }],
    names: [size],
    columns: [
      column('no cache', (point) => formatMs(point.store.p50Ms)),
      ...config.hitRates.map((rate) => column(`${percent(rate)} %`, (point) => at(point, rate))),
      column('pays from', paysFrom),
    ],
    title: (place) => `read ${place['store']} behind ${place['cache']}${how}`,
  }
}

function fullAt({ full }: CachePoint, rate: number): string {
  return formatMs(full.find(({ hitRate }) => hitRate === rate)?.ms ?? Number.NaN)
}

function paperAt({ paper }: CachePoint, rate: number): string {
  return formatMs(paper.find(({ hitRate }) => hitRate === rate)?.ms ?? Number.NaN)
}

/** Few objects cannot make every hit rate: then the one that was measured stands beside the time. */
function measuredAt({ measured }: CachePoint, rate: number): string {
  const found = measured.find(({ hitRate }) => hitRate === rate)
  if (found === undefined) return '–'
  const { hits, reads } = found
  const other = Math.abs(hits / reads - rate) < 0.005 ? '' : ` at ${percent(hits / reads)} %`
  return `${formatMs(median(found.runsMs))}${other}`
}

/** From which hit rate on a read through the cache takes less time than one without it. */
function paysFrom({ breakEvenHitRate }: CachePoint): string {
  return breakEvenHitRate === null ? 'never' : `${Math.round(breakEvenHitRate * 100)} %`
}

/** The two ways of an encoding. */
export const verbs = { encryption: ['encrypt', 'decrypt'], compression: ['compress', 'decompress'] } as const

/** An encoding by size. */
export function codecView(kind: keyof typeof verbs, algorithm: string): View {
  const [encode, decode] = verbs[kind]
  const way = (head: string, its: string): readonly Column[] => [
    { ...percentile('service', 'p50', { head, at: { operation: its } }) },
    { ...mean, text: (cell) => intervalText(meanOf(cell.at({ operation: its }))) },
  ]
  const change: Column = {
    head: kind === 'encryption' ? 'adds' : 'times smaller',
    text: (cell) => {
      const ratio = cell.at({ operation: 'encode' }).figure('ratio') ?? Number.NaN
      const bytes = Number(cell.place['size'])
      return kind === 'encryption' ? `${Math.round(bytes / ratio - bytes)} B` : ratio.toFixed(2)
    },
  }
  return {
    each: [{ name: 'algorithm', values: [algorithm] }],
    within: { algorithm },
    names: [size],
    columns: [...way(encode, 'encode'), ...way(decode, 'decode'), change],
    title: () => `${kind} ${algorithm}, medians and means`,
  }
}
