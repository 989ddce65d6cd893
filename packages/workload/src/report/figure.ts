import type { CacheInfo, LatencySeries, SizesResult } from '../sizes/result.ts'
import { percent, type Table, tables } from './table.ts'

/** A plot of one or more tables on log-log axes: size across, time up. */
export interface Figure {
  /** File name without its ending. */
  readonly id: string
  readonly group: 'sequential' | 'parallel' | 'cache' | 'codec'
  readonly title: string
  /** What the reader should know about it, in a sentence. */
  readonly note: string
  /** What the vertical axis shows. */
  readonly yLabel: string
  readonly series: readonly FigureSeries[]
  /** Tables to show beside it; the first holds its main series. */
  readonly tables: readonly Table[]
}

/** One curve. */
export interface FigureSeries {
  readonly name: string
  readonly table: Table
  /** Index of the column with the values. */
  readonly column: number
  /** Index of the column with the half-widths of the error bars. */
  readonly halfWidthColumn?: number | undefined
  /** Categorical colour by number, or a place between 0 and 1 on a ramp. */
  readonly colour: { readonly category: number } | { readonly ramp: number }
  /**
   * `line`: solid with marks; `dashed`: for comparison; `thin`: another model of the line of this colour; `marks`:
   * single values measured beside it.
   */
  readonly style: 'line' | 'dashed' | 'thin' | 'marks'
}

const figureOfOperation = { read: 'Read latency', write: 'Write latency', delete: 'Delete latency' } as const
const paperFigure: Readonly<Record<string, string>> = { read: 'Fig. 9', write: 'Fig. 10' }

/** Every figure of a result, in the order of the report. */
export function figures(result: SizesResult): Figure[] {
  const byName = new Map(tables(result).map((table) => [table.name, table]))
  return [...latencyFigures(result, byName), ...cacheFigures(result, byName), ...codecFigures(result, byName)]
}

type Tables = ReadonlyMap<string, Table>

function latencyFigures({ latency, stores, config }: SizesResult, byName: Tables): Figure[] {
  return (['sequential', 'parallel'] as const)
    .flatMap((mode) =>
      (['read', 'write', 'delete'] as const).flatMap((operation) => {
        const id = `${operation}-latency${mode === 'parallel' ? '-parallel' : ''}`
        const table = byName.get(id)
        if (table === undefined) return []
        const title = figureOfOperation[operation]
        return {
          id,
          group: mode,
          title: mode === 'parallel' ? `${title}, ${config.parallel} in flight` : title,
          note: latencyNote(operation, mode),
          yLabel: `time per ${operation}`,
          series: stores.map(({ name }, index) => ({
            name,
            table,
            column: 1 + 2 * index,
            halfWidthColumn: 2 + 2 * index,
            colour: { category: index },
            style: 'line' as const,
          })),
          tables: [table],
        }
      }),
    )
    .filter((figure) => latency.some((series) => series.mode === figure.group))
}

function latencyNote(operation: LatencySeries['operation'], mode: LatencySeries['mode']): string {
  const counterpart =
    mode === 'sequential' && paperFigure[operation] !== undefined
      ? ` As ${paperFigure[operation]} of the paper.`
      : ''
  const how =
    mode === 'sequential'
      ? 'Each call is awaited before the next one starts.'
      : 'A new call starts whenever one ends.'
  return `${how} Bars: 95 % confidence interval of the mean.${counterpart}`
}

function cacheFigures(result: SizesResult, byName: Tables): Figure[] {
  return result.cache.flatMap(({ store, cache }) => {
    const id = `cache-${store}-${cache}`
    const table = byName.get(id)
    if (table === undefined) return []
    const info = result.caches.find(({ name }) => name === cache) as CacheInfo
    const others = [`${id}-full`, `${id}-measured`]
      .map((name) => byName.get(name))
      .filter((found) => found !== undefined)
    return {
      id,
      group: 'cache' as const,
      title: `${store} behind ${describeCache(info)}`,
      note: cacheNote(byName.has(`${id}-measured`)),
      yLabel: 'time per read',
      series: cacheSeries(result, store, cache, byName),
      tables: [table, ...others],
    }
  })
}

function cacheNote(isMeasured: boolean): string {
  const rings = isMeasured ? ' Rings: measured with a cache driven to that hit rate.' : ''
  return `By hit rate. Lines: the paper’s model (Fig. 11 to 19), drawn from the measured ends. Dotted: with the full cost of misses.${rings}`
}

function cacheSeries(result: SizesResult, store: string, cache: string, byName: Tables): FigureSeries[] {
  const { hitRates } = result.config
  const curves = (suffix: string, style: FigureSeries['style']): FigureSeries[] => {
    const table = byName.get(`cache-${store}-${cache}${suffix}`)
    if (table === undefined) return []
    return hitRates.map((rate, index) => ({
      name: `${percent(rate)} %${suffix.replace('-', ' ')}`,
      table,
      column: 1 + index,
      colour: { ramp: rate },
      style,
    }))
  }
  return [
    ...curves('', 'line'),
    ...defaultModeCurve(result, store, cache, byName),
    ...curves('-full', 'thin'),
    ...curves('-measured', 'marks'),
  ]
}

/** Beside the flat line of objects shared by reference, what the default mode makes of it. */
function defaultModeCurve(
  { caches, config: { hitRates } }: SizesResult,
  store: string,
  cache: string,
  byName: Tables,
): FigureSeries[] {
  const isReference = caches.some(({ name, share }) => name === cache && share === 'reference')
  const other = caches.find(({ share }) => share === 'freeze')
  const table = byName.get(`cache-${store}-${other?.name}`)
  if (!isReference || table === undefined || !hitRates.includes(1)) return []
  const column = 1 + hitRates.indexOf(1)
  return [{ name: '100 % copied', table, column, colour: { ramp: 1 }, style: 'dashed' }]
}

/** A cache in words. */
export function describeCache({ name, kind, share }: CacheInfo): string {
  if (kind === 'remote') return `the remote cache ${name}`
  const modes = {
    reference: 'shared by reference',
    freeze: 'bytes copied on a hit (default)',
    copy: 'copied on a hit',
  }
  return `an in-process cache, ${modes[share ?? 'freeze']}`
}

function codecFigures(result: SizesResult, byName: Tables): Figure[] {
  return [
    codecFigure(
      'encryption',
      result.encryption.map(({ algorithm }) => algorithm),
      byName,
    ),
    codecFigure(
      'compression',
      result.compression.map(({ algorithm }) => algorithm),
      byName,
    ),
  ].filter((figure) => figure.series.length > 0)
}

function codecFigure(
  kind: 'encryption' | 'compression',
  algorithms: readonly string[],
  byName: Tables,
): Figure {
  const [encode, decode] = kind === 'encryption' ? ['encrypt', 'decrypt'] : ['compress', 'decompress']
  const found = algorithms
    .map((algorithm) => byName.get(`${kind}-${algorithm}`))
    .filter((table) => table !== undefined)
  return {
    id: kind,
    group: 'codec',
    title: kind === 'encryption' ? 'Encryption and decryption' : 'Compression and decompression',
    note: `Without any store. As ${kind === 'encryption' ? 'Fig. 20' : 'Fig. 21'} of the paper.`,
    yLabel: 'time per object',
    series: found.flatMap((table, index) => {
      const algorithm = table.name.slice(kind.length + 1)
      const colour = { category: index }
      return [
        {
          name: `${algorithm} ${encode}`,
          table,
          column: 1,
          halfWidthColumn: 2,
          colour,
          style: 'line' as const,
        },
        {
          name: `${algorithm} ${decode}`,
          table,
          column: 3,
          halfWidthColumn: 4,
          colour,
          style: 'dashed' as const,
        },
      ]
    }),
    tables: found,
  }
}
