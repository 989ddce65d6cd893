import type { Cell } from '../../../cube/cell.ts'
import { meanTime } from '../../../cube/columns.ts'
import type { Column, Dimension, PlotView, View } from '../../../cube/view.ts'
import { formatSize } from '../../../data/size-list.ts'
import { sizeAxis } from '../../../report/plot/axes.ts'
import { formatCount, formatMs } from '../../../report/words.ts'
import type { DeltasResult } from '../plan.ts'
import { percent, weighed } from './weighed.ts'

const store: Dimension = { name: 'store' }
const edit: Dimension = { name: 'edit' }
const share: Dimension = { name: 'share', text: (value) => percent(Number(value)) }
const size: Dimension = { name: 'size', key: 'size_bytes', text: (value) => formatSize(Number(value)) }

/** For each store the bytes, the times, and the verdict that follows. */
export function summary(result: DeltasResult): readonly View[] {
  const each = [store]
  const names = [edit, share, size]
  return result.stores.flatMap(({ name }) => {
    const own = { each, names, within: { store: name } }
    return [
      {
        ...own,
        columns: bytes,
        title: () => `${name}: bytes with deltas, per cent of those without; processor time of an update`,
      },
      { ...own, columns: times, title: () => `${name}: p50 and p99 of an update and of a read` },
      weighed(own, result),
    ]
  })
}

/** A figure with deltas, per cent of that without. */
function ofPlain(head: string, measure: string, operation?: string): Column {
  const valueOf = (cell: Cell, way: string): number =>
    cell.at({ way, ...(operation && { operation }) }).figure(measure, 'mean') ?? Number.NaN
  return { head, text: (cell) => percent(valueOf(cell, 'delta') / valueOf(cell, 'plain')) }
}

const updates = (cell: Cell, way: string): Cell => cell.at({ way, operation: 'update' })

const bytes: readonly Column[] = [
  { head: 'value B', text: (cell) => formatCount(cell.figure('value', 'mean') ?? Number.NaN) },
  { head: 'deltas', text: (cell) => percent(updates(cell, 'delta').figure('sent as a delta') ?? Number.NaN) },
  {
    head: 'sent B',
    text: (cell) => formatCount(updates(cell, 'delta').figure('moved', 'mean') ?? Number.NaN),
  },
  ofPlain('sent', 'moved', 'update'),
  ofPlain('stored', 'stored'),
  ofPlain('read', 'moved', 'read'),
  ofPlain('known read', 'moved', 'known read'),
  {
    head: 'CPU ns/byte',
    text: (cell) =>
      ['plain', 'delta']
        .map((way) => formatCount(updates(cell, way).figure('processor time a byte', 'mean') ?? Number.NaN))
        .join(' → '),
  },
]

function percentiles(head: string, way: string, operation: string): Column {
  const text = (cell: Cell): string => {
    const [p50, p99] = ['p50', 'p99'].map((one) => cell.at({ way, operation }).figure('service', one))
    return p50 === null || p50 === undefined ? '–' : `${formatMs(p50)} ${formatMs(p99 ?? Number.NaN)}`
  }
  return { head, text }
}

const times: readonly Column[] = [
  percentiles('update', 'plain', 'update'),
  percentiles('with deltas', 'delta', 'update'),
  percentiles('read', 'plain', 'read'),
  percentiles('with deltas', 'delta', 'read'),
  percentiles('if known before', 'delta', 'known read'),
]

const titles = { update: 'Updates', read: 'Reads' } as const

const drawn = { hasInterval: true } as const

/** For each kind of edit, updates and reads with and without deltas. */
export function plots(_result: DeltasResult): readonly PlotView[] {
  return (['update', 'read'] as const).map((operation) => {
    const columns = [
      meanTime('service', { ...drawn, head: 'deltas', key: 'delta_ms', at: { way: 'delta', operation } }),
      meanTime('service', { ...drawn, head: 'whole', key: 'plain_ms', at: { way: 'plain', operation } }),
    ]
    return {
      each: [edit, share],
      names: [size],
      across: store,
      columns,
      id: (place) => `${operation}-${editText(place)}`,
      section: operation,
      title: (place) =>
        `Time of ${operation === 'update' ? 'an update' : 'a read'} by object size, edit ${editText(place)}: mean of the runs and half-width of its 95 % confidence interval, with deltas and without`,
      caption: (place) => `${titles[operation]}, edit ${editText(place)}`,
      note: 'Solid: with deltas. Dashed: whole values. Means; bars are 95 % confidence intervals.',
      x: sizeAxis,
      yLabel: `time per ${operation}`,
      style: ({ head }) => (head === 'deltas' ? 'line' : 'dashed'),
      beside: { caption: 'mean ± 95 % CI' },
    }
  })
}

/** A kind of edit in words. */
function editText({ edit: kind, share: its }: Readonly<Record<string, string | number>>): string {
  return kind === 'random' ? kind : `${kind}, ${percent(Number(its))}`
}
