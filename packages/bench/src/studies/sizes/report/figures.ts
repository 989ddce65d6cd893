import type { Figure, FigureSeries } from '../../../report/figure.ts'
import type { Table } from '../../../report/table.ts'
import { durabilitiesOf } from '../../../report/words/durability-words.ts'
import { percent } from '../../../report/words/percent.ts'
import type { CacheInfo, CacheSeries, LatencySeries, SizesResult } from '../result.ts'
import { describeCache } from './describe-cache.ts'
import { cacheKey, tables } from './tables.ts'

const figureOfOperation = { read: 'Read latency', write: 'Write latency', delete: 'Delete latency' } as const
const paperFigure: Readonly<Record<string, string>> = { read: 'Fig. 9', write: 'Fig. 10' }

/** Every figure of a result, in the order of the report. */
export function figures(result: SizesResult): Figure[] {
  const byKey = new Map(tables(result).map((table) => [table.key, table]))
  return [...latencyFigures(result, byKey), ...cacheFigures(result, byKey), ...codecFigures(result, byKey)]
}

type Tables = ReadonlyMap<string, Table>

function latencyFigures(result: SizesResult, byKey: Tables): Figure[] {
  const { latency, stores, config } = result
  const promises = durabilitiesOf(result)
  return (['sequential', 'parallel'] as const)
    .flatMap((mode) =>
      (['read', 'write', 'delete'] as const).flatMap((operation) => {
        const id = `${operation}-latency${mode === 'parallel' ? '-parallel' : ''}`
        const table = byKey.get(id)
        if (table === undefined) return []
        const title = figureOfOperation[operation]
        return {
          id,
          group: mode,
          title: mode === 'parallel' ? `${title}, ${config.parallel} in flight` : title,
          note: [latencyNote(operation, mode), ...(operation === 'read' ? [] : [promises ?? ''])]
            .join(' ')
            .trim(),
          isWide: stores.length > 3,
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
  const lines = mode === 'sequential' ? 'medians' : 'means'
  return `${how} Lines: ${lines}. Bars: 95 % confidence intervals, where the runs suffice for one.${counterpart}`
}

function cacheFigures(result: SizesResult, byKey: Tables): Figure[] {
  return result.cache.flatMap((source) => {
    const { store, cache } = source
    const main = byKey.get(cacheKey(store, cache, 'paper'))
    if (main === undefined) return []
    const info = result.caches.find(({ name }) => name === cache) as CacheInfo
    const own = (['full', 'measured', 'paper'] as const).flatMap(
      (model) => byKey.get(cacheKey(store, cache, model)) ?? [],
    )
    return {
      id: main.name,
      group: 'cache' as const,
      title: `${store} behind ${cache}`,
      note: cacheNote(
        info,
        source.points.some(({ measured }) => measured.length > 0),
      ),
      foldedAs: isTwin(source, result) ? twinNote : undefined,
      yLabel: 'time per read',
      series: cacheCurves(result, source, byKey),
      tables: own,
    }
  })
}

const twinNote = 'the default mode over raw bytes, which copies them on a hit'

/** The same cache in its other mode has a figure that looks much alike: it is folded. */
function isTwin({ cache }: CacheSeries, { caches }: SizesResult): boolean {
  const mode = (wanted: string): string | null | undefined =>
    caches.find(({ name }) => name === wanted)?.share
  if (mode(cache) !== 'freeze') return false
  return cache.endsWith('-freeze') && mode(cache.slice(0, -'-freeze'.length)) === 'reference'
}

function cacheNote(info: CacheInfo, isMeasured: boolean): string {
  const rings = isMeasured ? ' Rings: measured with a cache driven to that hit rate.' : ''
  return `Cache: ${describeCache(info)}. Lines: by hit rate, a miss at its full cost.${rings} Dotted: the model of the paper, which leaves out what a miss costs on top of the store (Fig. 11 to 19).`
}

function cacheCurves(
  { config: { hitRates } }: SizesResult,
  source: CacheSeries,
  byKey: Tables,
): FigureSeries[] {
  const curves = (
    model: 'full' | 'measured' | 'paper',
    suffix: string,
    style: FigureSeries['style'],
  ): FigureSeries[] => {
    const table = byKey.get(cacheKey(source.store, source.cache, model))
    if (table === undefined) return []
    return hitRates.map((rate, index) => ({
      name: `${percent(rate)} %${suffix}`,
      table,
      column: 1 + index,
      colour: { ramp: rate },
      style,
    }))
  }
  return [
    ...curves('full', '', 'line'),
    ...curves('paper', ' model of the paper', 'thin'),
    ...curves('measured', ' measured', 'marks'),
  ]
}

function codecFigures(result: SizesResult, byKey: Tables): Figure[] {
  return [
    codecFigure(
      'encryption',
      result.encryption.map(({ algorithm }) => algorithm),
      byKey,
    ),
    codecFigure(
      'compression',
      result.compression.map(({ algorithm }) => algorithm),
      byKey,
    ),
  ].filter((figure) => figure.series.length > 0)
}

function codecFigure(
  kind: 'encryption' | 'compression',
  algorithms: readonly string[],
  byKey: Tables,
): Figure {
  const [encode, decode] = kind === 'encryption' ? ['encrypt', 'decrypt'] : ['compress', 'decompress']
  const found = algorithms
    .map((algorithm) => byKey.get(`${kind}/${algorithm}`))
    .filter((table) => table !== undefined)
  return {
    id: kind,
    group: 'codec',
    title: kind === 'encryption' ? 'Encryption and decryption' : 'Compression and decompression',
    note: `Without any store. Lines: medians. As ${kind === 'encryption' ? 'Fig. 20' : 'Fig. 21'} of the paper.`,
    yLabel: 'time per object',
    series: found.flatMap((table, index) => {
      const algorithm = table.key.slice(kind.length + 1)
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
