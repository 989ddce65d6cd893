import { formatSize } from '../../../data/size-list.ts'
import type { Figure } from '../../../report/figure.ts'
import { htmlTable } from '../../../report/html-table.ts'
import { percent } from '../../../report/words/percent.ts'
import { formatCount, formatInterval, formatMs } from '../../../report/words/units.ts'
import { median } from '../../../statistics/median.ts'
import type { FigureTables } from '../../../study/study-report.ts'
import type {
  CachePoint,
  CacheSeries,
  CodecPoint,
  LatencySeries,
  Measured,
  RatedLatency,
  SizesResult,
} from '../result.ts'
import { type Standing, standings } from './standings.ts'
import { otherRate, paysFrom, standingText } from './summary-tables.ts'
import { cacheKey } from './tables.ts'

/** The numbers of a figure. */
export function figureTables(figure: Figure, result: SizesResult): FigureTables {
  return figure.group === 'cache'
    ? cacheTables(figure, result)
    : { beside: plainTables(figure, result), below: '' }
}

function plainTables(figure: Figure, result: SizesResult): string {
  if (figure.group === 'codec') return codecTables(figure.id as 'encryption' | 'compression', result)
  const series = result.latency.filter(
    (one) => `${one.operation}-latency${one.mode === 'parallel' ? '-parallel' : ''}` === figure.id,
  )
  return figure.group === 'parallel'
    ? latencyTable(series, `calls a second, median${compared(series)}`, parallelCell)
    : latencyTable(series, `median, mean ± 95 % CI, p95${compared(series)}`, sequentialCell)
}

function sequentialCell(point: Measured, standing: Standing | undefined): string {
  const tail = point.p95Ms === null ? '' : `<small>p95 ${formatMs(point.p95Ms)}</small>`
  return `${formatMs(point.p50Ms)}<small>mean ${meanText(point)}</small>${tail}${timesCell(standing)}`
}

/** No interval where there are too few runs for one. */
function meanText({ meanMs, halfWidthMs }: Measured): string {
  return formatInterval(meanMs, halfWidthMs !== null && halfWidthMs < meanMs ? halfWidthMs : null)
}

function compared({ length }: readonly LatencySeries[]): string {
  return length > 1 ? ', × the fastest (95 % CI)' : ''
}

function parallelCell(point: Measured, standing: Standing | undefined): string {
  return `${formatCount(point.operationsPerSecond)}/s<small>median ${formatMs(point.p50Ms)}</small>${timesCell(standing)}`
}

function timesCell(standing: Standing | undefined): string {
  return standing === undefined ? '' : `<small>× ${standingText(standing)}</small>`
}

function latencyTable(
  series: readonly LatencySeries[],
  caption: string,
  cell: (point: Measured, standing: Standing | undefined) => string,
): string {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ size }) => size)))].sort(
    (a, b) => a - b,
  )
  const rows = sizes.map((size) => {
    const found = series.length > 1 ? standings(series, size) : []
    const cells = series.map(({ store, points }) => {
      const point = points.find((one) => one.size === size)
      const standing = found.find((one) => one.store === store)
      return point === undefined ? '–' : cell(point, standing)
    })
    return [formatSize(size), ...cells]
  })
  return htmlTable(caption, ['size', ...series.map(({ store }) => store)], rows)
}

function cacheTables(figure: Figure, { config, cache }: SizesResult): FigureTables {
  const source = cache.find((one) => sourceKeys(one).includes(figure.tables[0]?.key ?? ''))
  if (source === undefined) return { beside: '', below: '' }
  const head = ['size', ...config.hitRates.map((rate) => `${percent(rate)} %`)]
  const rows = (rated: (point: CachePoint) => readonly RatedLatency[]): string[][] =>
    source.points.map((point) => [formatSize(point.size), ...rated(point).map(({ ms }) => formatMs(ms))])
  const full = source.points.map((point) => [
    formatSize(point.size),
    formatMs(point.store.p50Ms),
    ...point.full.map(({ ms }) => formatMs(ms)),
    paysFrom(point),
  ])
  const measured = source.points
    .filter((point) => point.measured.length > 0)
    .map((point) => [
      formatSize(point.size),
      ...point.measured.map((one) => `${formatMs(median(one.runsMs))}<small>${otherRate(one)}</small>`),
    ])
  const fullHead = ['size', 'no cache', ...head.slice(1), 'pays from']
  return {
    beside:
      (measured.length === 0
        ? ''
        : htmlTable('measured, mean of the middle run by hit rate', head, measured)) +
      htmlTable('median by hit rate, misses at full cost', fullHead, full),
    below: `<details><summary>The model of the paper, without the cost of misses</summary>${htmlTable(
      'median by hit rate, as if a miss cost no more than the store',
      head,
      rows((point) => point.paper),
    )}</details>`,
  }
}

/** A figure of a cache shows one series by several models. */
function sourceKeys({ store, cache }: CacheSeries): string[] {
  return (['paper', 'full', 'measured'] as const).map((model) => cacheKey(store, cache, model))
}

function codecTables(kind: 'encryption' | 'compression', result: SizesResult): string {
  const verbs =
    kind === 'encryption' ? ['encrypt', 'decrypt', 'size'] : ['compress', 'decompress', 'smaller by']
  return result[kind]
    .map(({ algorithm, points }) =>
      htmlTable(
        `${algorithm}: median, mean ± 95 % CI`,
        ['size', ...verbs],
        points.map((point) => codecRow(kind, point)),
      ),
    )
    .join('')
}

function codecRow(kind: 'encryption' | 'compression', { size, encode, decode, ratio }: CodecPoint): string[] {
  const change = kind === 'encryption' ? `+${Math.round(size / ratio - size)} B` : `${ratio.toFixed(2)} ×`
  return [formatSize(size), medianCell(encode), medianCell(decode), change]
}

function medianCell(point: Measured): string {
  return `${formatMs(point.p50Ms)}<small>mean ${meanText(point)}</small>`
}
