import type { Cell } from '../../../cube/cell.ts'
import { count, meanTime, percentile, rate } from '../../../cube/columns.ts'
import type { Column, Dimension, PlotView, View } from '../../../cube/view.ts'
import type { FigureAxis } from '../../../report/figure.ts'
import { rateAxis } from '../../../report/plot/axes.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, formatMs } from '../../../report/words.ts'
import { shareInterval } from '../../../statistics/summary.ts'
import type { ConsistencyResult, CountedShare } from '../result.ts'
import { costTables, seenTable } from './further-tables.ts'
import { conditionText, fileText, percentText, shareText } from './words.ts'

const condition: Dimension = { name: 'condition', values: ['calm', 'disturbed'] }
const each = [{ name: 'store' }, condition]
const levels: Dimension = { name: 'levels', head: 'level' }
const callers: Dimension = { name: 'callers' }
const place: Dimension = {
  name: 'store+condition',
  head: 'store',
  text: (value) => String(value).replace('\tcalm', '').replace('\t', ', '),
}

function titleOf({ store, condition: its }: Cell['place']): string {
  return `${store}${conditionText(its === 'disturbed' ? 'disturbed' : 'calm')}`
}

/** Throughput and its cost, then stale reads. */
export function summary(result: ConsistencyResult): readonly (View | ReportTable)[] {
  const times = (operation: string): readonly Column[] => {
    const at = { operation }
    return [
      meanTime('service', { head: `${operation} mean`, at }),
      percentile('service', 'p95', { at }),
      percentile('service', 'p99', { at }),
    ]
  }
  return [
    {
      names: [place, levels, callers],
      columns: [
        ...rate(),
        ...times('read'),
        ...times('write'),
        count('failed', 'operations', (outcome) => outcome === 'failure'),
      ],
      title: () => 'Throughput, and times of reads and writes',
    },
    ...costTables(result),
    ...(result.stale.length === 0 ? [] : [seenTable(result.stale)]),
    {
      each,
      names: [delay],
      across: readerOf(result),
      columns: [stale],
      title: (its) => `Stale reads of ${titleOf(its)}, with 95 % intervals`,
    },
    {
      names: [place, levels, { name: 'reader' }],
      columns: [
        {
          head: 'went back',
          text: (cell) => {
            const of = cell.figure('writes seen') ?? 0
            return of === 0 ? '–' : shareText(shareOf(cell.figure('went back') ?? 0, of))
          },
        },
        count('failed', 'reads', (outcome) => outcome === 'failure'),
      ],
      title: () => 'Reads that saw the older value again, as a share of the writes that were seen',
    },
  ]
}

const delay: Dimension = {
  name: 'delayMs',
  key: 'since_write_ms',
  head: 'since the write',
  text: (ms) => (ms === 0 ? 'directly' : formatMs(Number(ms))),
}

/** Readers at pairs of levels, without the reader or the pair where there is one alone. */
function readerOf({ stale: all }: ConsistencyResult): Dimension {
  const several = (names: readonly string[]): boolean => new Set(names).size > 1
  const [pairs, readers] = [
    several(all.map(({ pair }) => pair)),
    several(all.flatMap((one) => one.readers.map(({ name }) => name))),
  ]
  return {
    name: 'levels+reader',
    text: (value) => {
      const [pair = '', reader = ''] = String(value).split('\t')
      return readers ? (pairs ? `${pair}, ${reader}` : reader) : pair
    },
  }
}

function shareOf(found: number, of: number): CountedShare {
  return { found, of, ...shareInterval(found, of) }
}

/** Stale reads at a delay; `null`: there was no read. */
function staleOf(cell: Cell): CountedShare | null {
  const of = cell.figure('reads')
  return of === null || of === 0 ? null : shareOf(cell.figure('stale reads') ?? 0, of)
}

const stale: Column = {
  head: 'stale',
  key: 'stale',
  of: (cell) => staleOf(cell)?.share ?? null,
  text: (cell) => {
    const found = staleOf(cell)
    return found === null ? '–' : shareText(found)
  },
}
const bounds: readonly Column[] = [
  { head: 'low', key: 'low', of: (cell) => staleOf(cell)?.low ?? null },
  { head: 'high', key: 'high', of: (cell) => staleOf(cell)?.high ?? null },
]

const callersAxis: FigureAxis = { title: 'callers', scale: 'log', format: (value) => formatCount(value) }
const sinceAxis: FigureAxis = { title: 'time since the write', scale: 'log', format: formatMs }
const staleAxis: FigureAxis = {
  title: 'stale reads',
  scale: 'linear',
  format: (value) => (value > 1 ? '' : percentText(value)),
}

function idOf(kind: string): PlotView['id'] {
  return ({ store, condition: its }) =>
    `${kind}-${fileText(String(store))}${its === 'calm' ? '' : '-disturbed'}`
}

/** For each store and condition the throughput, the times, and the stale reads. */
export function plots(result: ConsistencyResult): readonly PlotView[] {
  const rates = {
    each,
    names: [callers],
    across: levels,
    x: callersAxis,
    caption: titleOf,
    isWide: true,
  } as const
  const [perSecond] = rate()
  return [
    {
      ...rates,
      id: idOf('throughput'),
      section: 'throughput',
      columns: [perSecond],
      title: (its) => `${titleOf(its)}: throughput at each level, by callers`,
      note: 'Points are means of runs, bars their 95 % intervals.',
      yLabel: 'operations a second',
      y: rateAxis,
      curve: (name) => name,
    },
    ...(['read', 'write'] as const).map(
      (operation): PlotView => ({
        ...rates,
        id: idOf(operation),
        section: 'latency',
        columns: [
          meanTime('service', { at: { operation } }),
          percentile('service', 'p95', { at: { operation } }),
          percentile('service', 'p99', { at: { operation } }),
        ],
        title: (its) => `${titleOf(its)}: times of a ${operation} at each level, by callers`,
        caption: (its) => `${titleOf(its)}: ${operation}s`,
        note: 'Solid: the mean. Dashed: five in a hundred took longer.',
        yLabel: `time of a ${operation}`,
        style: ({ head }) => (head === 'mean' ? 'line' : head === 'p95' ? 'dashed' : undefined),
      }),
    ),
    stalePlot(result),
  ]
}

function stalePlot(result: ConsistencyResult): PlotView {
  return {
    each,
    names: [delay],
    across: readerOf(result),
    at: (cells) => {
      const times = cells.flatMap((cell) => cell.figure('began', 'mean') ?? [])
      return times.reduce((sum, one) => sum + one, 0) / times.length
    },
    id: idOf('stale'),
    section: 'stale',
    columns: [stale, ...bounds],
    title: (its) =>
      `${titleOf(its)}: share of stale reads, and its 95 % interval, by milliseconds since the write`,
    caption: titleOf,
    note: 'The share of reads that gave an older value, by when they began. The table has the intervals, and the bounds where no read was stale.',
    x: sinceAxis,
    yLabel: 'stale reads',
    y: staleAxis,
    isWide: true,
    style: ({ head }) => (head === 'stale' ? 'line' : undefined),
  }
}
