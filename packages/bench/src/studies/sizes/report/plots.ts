import { Cell, type Place } from '../../../cube/cell.ts'
import { meanTime, percentile } from '../../../cube/columns.ts'
import { type Row, rowsAt } from '../../../cube/row.ts'
import type { Column, Dimension, PlotView } from '../../../cube/view.ts'
import { sizeAxis } from '../../../report/plot/axes.ts'
import { percent } from '../../../report/words.ts'
import { durabilitiesOf } from '../../../run/result.ts'
import { median } from '../../../statistics/summary.ts'
import type { CacheInfo, SizesResult } from '../config.ts'
import { costsBySize, fullLatency, paperLatency } from '../hit-rate.ts'
import { numberedPlot } from '../iyengar/drawn.ts'
import {
  algorithmsOf,
  behindCaches,
  besideCache,
  besideLatency,
  codecView,
  describeCache,
  isDriven,
  type Mode,
  meanOf,
  mode,
  ofThree,
  operation,
  size,
  store,
  verbs,
} from './summary.ts'

/** Latencies, then reads through caches, then encodings, by object size. */
export function plots(result: SizesResult): readonly PlotView[] {
  return [
    numberedPlot(result, latencyPlot(result, 'sequential')),
    latencyPlot(result, 'parallel'),
    numberedPlot(result, cachePlot(result)),
    ...(['encryption', 'compression'] as const).map((codec) =>
      numberedPlot(result, codecPlot(result, codec), { codec }),
    ),
  ]
}

/** The median of all operations with the interval of those of the runs, as findings compare stores. */
const middle: Column = {
  ...percentile('service', 'p50', { head: 'median', key: 'median_ms' }),
  hasInterval: true,
  of: (cell) => middleOf(cell),
}
/** The mean of calls in flight makes calls a second. */
const mean: Column = { ...meanTime('service'), hasInterval: true, of: meanOf }

function middleOf(cell: Cell): ReturnType<typeof ofThree> {
  return { ...ofThree(cell.mean('service', 'p50')), value: cell.figure('service', 'p50') }
}

const titles: Readonly<Record<string, string>> = {
  read: 'Read latency',
  write: 'Write latency',
  delete: 'Delete latency',
}
const ofPaper: Readonly<Record<string, string>> = {
  read: ' As Fig. 9 of the paper.',
  write: ' As Fig. 10 of the paper.',
}

function latencyPlot(result: SizesResult, its: Mode): PlotView {
  const isParallel = its === 'parallel'
  const promises = durabilitiesOf(result)
  const how = isParallel
    ? 'A new call starts whenever one ends. Lines: means.'
    : 'Each call is awaited before the next one starts. Lines: medians.'
  const compared = result.stores.length > 1 ? ', × the fastest (95 % CI)' : ''
  return {
    each: [mode, operation, { name: 'inFlight' }],
    within: { mode: its },
    names: [size],
    across: store,
    columns: [isParallel ? mean : middle],
    id: (place) => `${place['operation']}-latency${isParallel ? '-parallel' : ''}`,
    section: its,
    title: (place) => {
      const calls = isParallel ? `${place['inFlight']} calls in flight` : 'each call awaited before the next'
      return `${titles[place['operation'] ?? '']} by object size, ${calls}: ${isParallel ? 'mean' : 'median'} of the runs and half-width of its 95 % confidence interval`
    },
    caption: (place) =>
      `${titles[place['operation'] ?? '']}${isParallel ? `, ${place['inFlight']} in flight` : ''}`,
    note: ({ operation: kind = '' }) =>
      `${how} Bars: 95 % confidence intervals, where the runs suffice for one.${isParallel ? '' : (ofPaper[kind] ?? '')}${kind === 'read' || promises === undefined ? '' : ` ${promises}`}`,
    x: sizeAxis,
    yLabel: (place) => `time per ${place['operation']}`,
    isWide: result.stores.length > 3,
    curve: (name) => name,
    beside: {
      caption: `${isParallel ? 'calls a second, median' : 'median, mean ± 95 % CI, p95'}${compared}`,
      columns: besideLatency(result, its),
    },
  }
}

const hitRate: Dimension = { name: 'hitRate', text: (rate) => `${percent(Number(rate))} %` }
const twinNote = 'the default mode over raw bytes, which copies them on a hit'

/** The middle run at a hit rate. */
const driven: Column = {
  head: 'measured',
  key: 'ms',
  of: (cell) => {
    const runs = cell.runs('service', 'mean')
    return runs.length === 0 ? null : median(runs)
  },
}

const extrapolated: Column = { head: 'extrapolated', key: 'ms', of: (cell) => cell.figure('service') }

/**
 * Reads through each cache by size and hit rate.
 *
 * @param suffix - of the names of files
 * @param how - after the title
 */
function byHitRate(
  result: SizesResult,
  [suffix, how]: readonly [suffix: string, how: string],
  columns: Pick<PlotView, 'rows' | 'columns'>,
): PlotView {
  return {
    each: behindCaches(result),
    within: { operation: 'read' },
    names: [size],
    across: hitRate,
    ...columns,
    id: ({ store: name, cache }) => `cache-${name}-${cache}${suffix}`,
    section: 'cache',
    title: ({ store: name, cache }) =>
      `Read latency of ${name} behind the cache ${cache} by object size and hit rate: ${how}`,
    note: '',
    x: sizeAxis,
    yLabel: 'time per read',
    isRamp: true,
  }
}

/** Reads through a cache by hit rate: extrapolated at full cost and as in the paper, and measured. */
function cachePlot(result: SizesResult): PlotView {
  const rings = isDriven(result) ? ' Rings: measured with a cache driven to that hit rate.' : ''
  const infoOf = ({ cache }: Place): CacheInfo =>
    result.caches.find(({ name }) => name === cache) as CacheInfo
  const full = byHitRate(
    result,
    ['', 'extrapolated at full cost, hit · h + miss through the cache · (1 − h)'],
    {
      rows: modelRows(result, fullLatency),
      columns: [extrapolated],
    },
  )
  const paper = byHitRate(
    result,
    ['-paper', 'extrapolated as in the paper, without the cost of misses, hit · h + store · (1 − h)'],
    { rows: modelRows(result, paperLatency), columns: [extrapolated] },
  )
  const measured = byHitRate(result, ['-measured', 'measured with this share of hits'], { columns: [driven] })
  const own = {
    caption: ({ store: name, cache }: Place) => `${name} behind ${cache}`,
    foldedAs: (place: Place) => (isTwin(infoOf(place), result) ? twinNote : undefined),
    beside: besideCache(result),
  }
  const rates: PlotView = { ...measured, style: () => 'marks', curve: (rate) => `${rate} measured` }
  const without = 'extrapolated as in the paper, which leaves out what a miss costs on top of the store'
  if (result.config.preset !== null)
    return {
      ...paper,
      ...own,
      note: (place) => `Cache: ${describeCache(infoOf(place))}. Lines: ${without}.${rings}`,
      curve: (rate) => (rate === '0 %' ? 'no cache' : rate),
      overlays: [{ ...full, style: () => undefined }, rates],
    }
  return {
    ...full,
    ...own,
    note: (place) =>
      `Cache: ${describeCache(infoOf(place))}. Lines: extrapolated by hit rate, a miss at its full cost.${rings} Dotted: ${without} (Fig. 11 to 19).`,
    curve: (rate) => rate,
    overlays: [{ ...paper, style: () => 'thin', curve: (rate) => `${rate} as in the paper` }, rates],
  }
}

/** The points of a model. */
function modelRows(
  { rows, config }: SizesResult,
  model: typeof fullLatency | typeof paperLatency,
): readonly Row[] {
  const all = new Cell(rows, {}).having(['cache'])
  return all.valuesOf('store+cache').flatMap((both) => {
    const [name = '', cache = ''] = String(both).split('\t')
    return costsBySize(all.at({ store: name, cache })).flatMap(({ size: at, ...costs }) =>
      config.hitRates.flatMap((rate) =>
        rowsAt({ store: name, dimensions: { operation: 'read', cache, hitRate: rate, size: at } }, [
          { measure: 'service', unit: 'ms', value: model(rate, costs) },
        ]),
      ),
    )
  })
}

/** The same cache in its other mode has a plot that looks much alike: it is folded. */
function isTwin({ name, share }: CacheInfo, { caches }: SizesResult): boolean {
  // On a page of several results the name of its result follows that of a cache.
  const other = name.replace(/-freeze(?= |$)/, '')
  return share === 'freeze' && caches.some((one) => one.name === other && one.share === 'reference')
}

function codecPlot(result: SizesResult, kind: keyof typeof verbs): PlotView {
  const [encode, decode] = verbs[kind]
  const algorithms = algorithmsOf(result, kind)
  const isPaper = result.config.preset !== null
  const way = (head: string, its: string): Column => ({
    head,
    key: `${head}_median_ms`,
    hasInterval: true,
    of: (cell) => middleOf(cell.at({ operation: its })),
  })
  return {
    names: [size],
    across: { name: 'algorithm', values: algorithms },
    columns: [
      way(encode, 'encode'),
      way(decode, 'decode'),
      {
        head: 'ratio',
        key: 'ratio_original_per_encoded',
        of: (cell) => cell.at({ operation: 'encode' }).figure('ratio'),
      },
    ],
    id: () => kind,
    section: 'codec',
    title: () =>
      `Time to ${encode} and ${decode} by object size: median of the runs, half-width of its 95 % confidence interval, and original over ${encode}ed bytes`,
    caption: () => (kind === 'encryption' ? 'Encryption and decryption' : 'Compression and decompression'),
    note: `Without any store. Lines: medians. As ${kind === 'encryption' ? 'Fig. 20' : 'Fig. 21'} of the paper.`,
    x: sizeAxis,
    yLabel: 'time per object',
    style: ({ head }) => (head === 'ratio' ? undefined : head === encode ? 'line' : 'dashed'),
    curve: (name, { head }) => (isPaper && algorithms.length === 1 ? head : `${name} ${head}`),
    beside: algorithms.map((algorithm) => codecView(kind, algorithm)),
  }
}
