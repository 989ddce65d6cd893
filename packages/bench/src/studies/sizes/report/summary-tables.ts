import { formatSize } from '../../../data/size-list.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { percent } from '../../../report/words/percent.ts'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatTimes,
  variesTooMuch,
} from '../../../report/words/units.ts'
import { median } from '../../../statistics/median.ts'
import type { CachePoint, CodecSeries, LatencySeries, Measured, SizesResult } from '../result.ts'
import { isVague, type Standing, standings } from './standings.ts'

/** The result as tables for people, for terminals and Markdown. */
export function summaryTables(result: SizesResult): ReportTable[] {
  return [...latencyTables(result), ...cacheTables(result), ...codecTables(result)].filter(
    ({ rows }) => rows.length > 0,
  )
}

function latencyTables({ latency }: SizesResult): ReportTable[] {
  const kinds = [...new Set(latency.map(({ operation, mode }) => `${operation} ${mode}`))]
  return kinds.map((kind) => latencyTable(latency.filter((one) => `${one.operation} ${one.mode}` === kind)))
}

function latencyTable(series: readonly LatencySeries[]): ReportTable {
  const { operation, mode, inFlight } = series[0] as LatencySeries
  const isParallel = mode === 'parallel'
  const how = isParallel ? `${inFlight} in flight` : 'one call at a time'
  const isCompared = series.length > 1
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ size }) => size)))].sort(
    (a, b) => a - b,
  )
  const rows = sizes.flatMap((size) => {
    const found = standings(series, size)
    return series.flatMap(({ store, points }) => {
      const point = points.find((one) => one.size === size)
      if (point === undefined) return []
      const times = isCompared ? [standingText(found.find((one) => one.store === store))] : []
      const tail = point.p99Ms === null ? '–' : formatMs(point.p99Ms)
      const [median, figure] = [formatMs(point.p50Ms), figureOf(point, isParallel)]
      const cells = isParallel ? [figure, ...times, median, tail] : [median, ...times, tail, figure]
      return [[formatSize(size), store, ...cells]]
    })
  })
  const times = isCompared ? ['times the fastest'] : []
  const head = isParallel
    ? ['calls a second', ...times, 'median', 'p99']
    : ['median', ...times, 'p99', 'mean ± 95 % CI']
  return { title: `${operation}, ${how}`, head: ['size', 'store', ...head], rows, names: 2 }
}

function figureOf({ meanMs, halfWidthMs, operationsPerSecond }: Measured, isParallel: boolean): string {
  return isParallel ? formatCount(operationsPerSecond) : formatInterval(meanMs, halfWidthMs)
}

/** How many times as long as the fastest, with the interval of that ratio. */
export function standingText(standing: Standing | undefined): string {
  if (standing === undefined) return '–'
  const { mean, low, high } = standing.ratio
  if (mean === 1 && (low === null || low === 1)) return '1'
  if (low === null || high === null) return formatTimes(mean)
  if (isVague(standing)) return `${formatTimes(mean)} (${variesTooMuch})`
  return `${formatTimes(mean)} (${formatTimes(low)}–${formatTimes(high)})`
}

/** The real cost at a hit rate: measured if possible, otherwise computed with the full cost of misses. */
function cacheTables({ cache, config }: SizesResult): ReportTable[] {
  return cache.map((series) => {
    const isMeasured = series.points.some(({ measured }) => measured.length > 0)
    const how = isMeasured
      ? 'median; measured at each hit rate, mean of the middle run'
      : 'medians, misses at full cost'
    return {
      title: `read ${series.store} behind ${series.cache}, ${how}`,
      head: ['size', 'no cache', ...config.hitRates.map((rate) => `${percent(rate)} %`), 'pays from'],
      rows: series.points.map((point) => [
        formatSize(point.size),
        formatMs(point.store.p50Ms),
        ...ratedCells(point, isMeasured),
        paysFrom(point),
      ]),
    }
  })
}

function ratedCells(point: CachePoint, isMeasured: boolean): string[] {
  if (!isMeasured) return point.full.map(({ ms }) => formatMs(ms))
  return point.measured.map((one) => formatMs(median(one.runsMs)) + otherRate(one))
}

/** Few objects cannot make every hit rate: then the one that was measured stands beside the time. */
export function otherRate({ hitRate, hits, reads }: CachePoint['measured'][number]): string {
  return Math.abs(hits / reads - hitRate) < 0.005 ? '' : ` at ${percent(hits / reads)} %`
}

/** From which hit rate on a read through the cache takes less time than one without it. */
export function paysFrom({ breakEvenHitRate }: CachePoint): string {
  return breakEvenHitRate === null ? 'never' : `${Math.round(breakEvenHitRate * 100)} %`
}

function codecTables(result: SizesResult): ReportTable[] {
  return (['encryption', 'compression'] as const).flatMap((kind) =>
    result[kind].map((series) => codecTable(kind, series)),
  )
}

function codecTable(kind: 'encryption' | 'compression', { algorithm, points }: CodecSeries): ReportTable {
  const [encode, decode] = kind === 'encryption' ? ['encrypt', 'decrypt'] : ['compress', 'decompress']
  return {
    title: `${kind} ${algorithm}, medians and means`,
    head: [
      'size',
      encode,
      'mean ± 95 % CI',
      decode,
      'mean ± 95 % CI',
      kind === 'encryption' ? 'adds' : 'times smaller',
    ],
    rows: points.map(({ size, encode: one, decode: other, ratio }) => [
      formatSize(size),
      formatMs(one.p50Ms),
      formatInterval(one.meanMs, one.halfWidthMs),
      formatMs(other.p50Ms),
      formatInterval(other.meanMs, other.halfWidthMs),
      kind === 'encryption' ? `${Math.round(size / ratio - size)} B` : ratio.toFixed(2),
    ]),
  }
}
