import type {
  CachePoint,
  CodecPoint,
  LatencySeries,
  Measured,
  RatedLatency,
  SizesResult,
} from '../sizes/result.ts'
import { formatSize } from '../sizes/size-list.ts'
import { escapeHtml } from './escape-html.ts'
import type { Figure } from './figure.ts'
import { percent } from './table.ts'
import { formatCount, formatInterval, formatMs } from './units.ts'

/** A figure's numbers, for people: what stands beside it, and what below. */
export interface FigureTables {
  readonly beside: string
  readonly below: string
}

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
    ? latencyTable(
        series,
        'mean, and operations a second',
        (point) => `${formatMs(point.meanMs)}<small>${formatCount(point.operationsPerSecond)}/s</small>`,
      )
    : latencyTable(series, 'mean ± 95 % CI, and 95th percentile', sequentialCell)
}

function sequentialCell(point: Measured): string {
  const tail = point.p95Ms === null ? '' : `<small>p95 ${formatMs(point.p95Ms)}</small>`
  return `${formatInterval(point.meanMs, point.halfWidthMs)}${tail}`
}

function latencyTable(
  series: readonly LatencySeries[],
  caption: string,
  cell: (point: Measured) => string,
): string {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ size }) => size)))].sort(
    (a, b) => a - b,
  )
  const rows = sizes.map((size) => [
    formatSize(size),
    ...series.map(({ points }) => {
      const point = points.find((one) => one.size === size)
      return point === undefined ? '–' : cell(point)
    }),
  ])
  return htmlTable(caption, ['size', ...series.map(({ store }) => store)], rows)
}

function cacheTables({ id }: Figure, { cache, config }: SizesResult): FigureTables {
  const series = cache.find((one) => `cache-${one.store}-${one.cache}` === id)
  if (series === undefined) return { beside: '', below: '' }
  const head = ['size', ...config.hitRates.map((rate) => `${percent(rate)} %`)]
  const rows = (rated: (point: CachePoint) => readonly RatedLatency[]): string[][] =>
    series.points.map((point) => [formatSize(point.size), ...rated(point).map(({ ms }) => formatMs(ms))])
  const breakEven = series.points.map(({ breakEvenHitRate }) =>
    breakEvenHitRate === null ? 'never' : `${Math.round(breakEvenHitRate * 100)} %`,
  )
  const full = rows((point) => point.full).map((row, index) => [...row, breakEven[index] as string])
  const measured = rows((point) => point.measured.map(({ hitRate, meanMs }) => ({ hitRate, ms: meanMs })))
  return {
    beside:
      htmlTable(
        'the paper’s model, by hit rate',
        head,
        rows((point) => point.paper),
      ) + htmlTable('full cost: misses ask and fill the cache', [...head, 'pays from'], full),
    below: (measured[0]?.length ?? 0) > 1 ? htmlTable('measured at the hit rate', head, measured) : '',
  }
}

function codecTables(kind: 'encryption' | 'compression', result: SizesResult): string {
  const verbs =
    kind === 'encryption' ? ['encrypt', 'decrypt', 'size'] : ['compress', 'decompress', 'smaller by']
  return result[kind]
    .map(({ algorithm, points }) =>
      htmlTable(
        algorithm,
        ['size', ...verbs],
        points.map((point) => codecRow(kind, point)),
      ),
    )
    .join('')
}

function codecRow(kind: 'encryption' | 'compression', { size, encode, decode, ratio }: CodecPoint): string[] {
  const change = kind === 'encryption' ? `+${Math.round(size / ratio - size)} B` : `${ratio.toFixed(2)} ×`
  return [
    formatSize(size),
    formatInterval(encode.meanMs, encode.halfWidthMs),
    formatInterval(decode.meanMs, decode.halfWidthMs),
    change,
  ]
}

/** A table whose first column names the rows. Cells are HTML already. */
function htmlTable(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const headCells = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('')
  const body = rows.map(
    ([name = '', ...cells]) =>
      `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${headCells}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}
