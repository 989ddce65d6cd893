import type { LatencySeries, Measured, SizesResult } from '../sizes/result.ts'
import { formatSize } from '../sizes/size-list.ts'
import { findings } from './findings.ts'
import { percent } from './table.ts'
import { formatCount, formatInterval, formatMs } from './units.ts'

/** The result as text for a terminal: one table an operation, cache and algorithm, then what it shows. */
export function textReport(result: SizesResult): string {
  const shown = findings(result)
  return [
    ...latencyTables(result),
    ...cacheTables(result),
    ...codecTables(result),
    ...(shown.length === 0 ? [] : [`${shown.map((finding) => `· ${finding}`).join('\n')}\n`]),
  ].join('\n')
}

function latencyTables({ latency }: SizesResult): string[] {
  const kinds = [...new Set(latency.map(({ operation, mode }) => `${operation} ${mode}`))]
  return kinds.flatMap((kind) => {
    const series = latency.filter(
      ({ operation, mode, points }) => `${operation} ${mode}` === kind && points.length > 0,
    )
    const first = series[0]
    if (first === undefined) return []
    const how =
      first.mode === 'sequential'
        ? 'one call at a time (mean ± 95 % CI)'
        : `${first.inFlight} in flight (mean, operations a second)`
    const cell = first.mode === 'sequential' ? sequentialCell : parallelCell
    const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ size }) => size)))].sort(
      (a, b) => a - b,
    )
    const rows = sizes.map((size) => [formatSize(size), ...series.map((one) => cellAt(one, size, cell))])
    return [textTable(`${first.operation}, ${how}`, ['size', ...series.map(({ store }) => store)], rows)]
  })
}

function cellAt({ points }: LatencySeries, size: number, cell: (point: Measured) => string): string {
  const point = points.find((one) => one.size === size)
  return point === undefined ? '–' : cell(point)
}

function sequentialCell({ meanMs, halfWidthMs }: Measured): string {
  return formatInterval(meanMs, halfWidthMs)
}

function parallelCell({ meanMs, operationsPerSecond }: Measured): string {
  return `${formatMs(meanMs)} ${formatCount(operationsPerSecond)}/s`
}

function cacheTables({ cache, config }: SizesResult): string[] {
  return cache
    .filter(({ points }) => points.length > 0)
    .map((series) => {
      const head = ['size', ...config.hitRates.map((rate) => `${percent(rate)} %`), 'miss', 'pays from']
      const rows = series.points.map(({ size, paper, miss, breakEvenHitRate }) => [
        formatSize(size),
        ...paper.map(({ ms }) => formatMs(ms)),
        formatMs(miss.meanMs),
        breakEvenHitRate === null ? 'never' : `${Math.round(breakEvenHitRate * 100)} %`,
      ])
      return textTable(`read ${series.store} behind ${series.cache}, by hit rate`, head, rows)
    })
}

function codecTables(result: SizesResult): string[] {
  return (['encryption', 'compression'] as const).flatMap((kind) =>
    result[kind]
      .filter(({ points }) => points.length > 0)
      .map(({ algorithm, points }) => {
        const rows = points.map(({ size, encode, decode, ratio }) => [
          formatSize(size),
          formatInterval(encode.meanMs, encode.halfWidthMs),
          formatInterval(decode.meanMs, decode.halfWidthMs),
          ratio.toFixed(2),
        ])
        const verbs = kind === 'encryption' ? ['encrypt', 'decrypt'] : ['compress', 'decompress']
        return textTable(`${kind} ${algorithm}`, ['size', ...verbs, 'ratio'], rows)
      }),
  )
}

/** Columns of equal width, the first to the left, the others to the right. */
export function textTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
      )
      .join('  ')
  return [title, line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line), ''].join(
    '\n',
  )
}
