import { FileNames } from '../../../report/files/file-names.ts'
import type { Table } from '../../../report/table.ts'
import type { Condition } from '../plan.ts'
import type { ConsistencyResult, LevelRate, StaleResult } from '../result.ts'
import { conditionText, fileText, storesIn } from './words.ts'

/** Rates and stale reads of one store in one condition. */
export interface Group<T> {
  readonly store: string
  readonly condition: Condition
  readonly own: readonly T[]
}

/** Columns of numbers: for each store and condition its rates, and the shares of stale reads. */
export function tables({ rates, stale }: ConsistencyResult): readonly Table[] {
  const names = new FileNames()
  return [...groupsOf(rates).map(ratesTable), ...groupsOf(stale).map(staleTable)].map((table) => ({
    ...table,
    name: names.claim(table.name),
  }))
}

/** Groups by store and condition. */
export function groupsOf<T extends { readonly store: string; readonly condition: Condition }>(
  list: readonly T[],
): readonly Group<T>[] {
  return storesIn(list).flatMap((store) =>
    (['calm', 'disturbed'] as const).flatMap((condition) => {
      const own = list.filter((one) => one.store === store && one.condition === condition)
      return own.length === 0 ? [] : [{ store, condition, own }]
    }),
  )
}

/** The pairs of a group, in the order of its columns. */
export function pairsIn(own: readonly { readonly pair: string }[]): readonly string[] {
  return [...new Set(own.map(({ pair }) => pair))]
}

/** Columns of a pair in the table of rates. */
const rateColumns: Readonly<Record<string, (rate: LevelRate) => number | null>> = {
  per_s: ({ rate }) => rate.mean,
  half_width_per_s: ({ rate }) => rate.halfWidth,
  read_mean_ms: ({ read }) => read?.meanMs.mean ?? null,
  read_p95_ms: ({ read }) => read?.p95Ms ?? null,
  read_p99_ms: ({ read }) => read?.p99Ms ?? null,
  write_mean_ms: ({ write }) => write?.meanMs.mean ?? null,
  write_p95_ms: ({ write }) => write?.p95Ms ?? null,
  write_p99_ms: ({ write }) => write?.p99Ms ?? null,
}

/** The column of a figure of a pair in the table of rates. */
export function rateColumn(pairIndex: number, figure: string): number {
  const names = Object.keys(rateColumns)
  return 1 + pairIndex * names.length + names.indexOf(figure)
}

function ratesTable({ store, condition, own }: Group<LevelRate>): Table {
  const callers = [...new Set(own.map((one) => one.callers))]
  const pairs = pairsIn(own)
  return {
    key: `rates/${store}/${condition}`,
    name: `rates-${fileText(store)}${condition === 'calm' ? '' : '-disturbed'}`,
    title: `${store}${conditionText(condition)}: throughput and times at each level, by callers`,
    columns: [
      'callers',
      ...pairs.flatMap((pair) => Object.keys(rateColumns).map((name) => `${columnText(pair)}_${name}`)),
    ],
    rows: callers.map((count) => [
      count,
      ...pairs.flatMap((pair) => {
        const found = own.find((one) => one.pair === pair && one.callers === count)
        return Object.values(rateColumns).map((of) => (found === undefined ? null : of(found)))
      }),
    ]),
  }
}

/** Columns of a reader in the table of stale reads. */
const staleColumns = ['stale', 'low', 'high'] as const

/** One reader at one pair, and the first of its columns. */
export interface StaleCurve {
  /** Without the reader or the pair where there is one alone. */
  readonly name: string
  readonly pair: string
  readonly reader: StaleResult['readers'][number]
  readonly column: number
}

/** The curves of a group: each reader at each pair, in the order of the columns. */
export function staleCurves(own: readonly StaleResult[]): readonly StaleCurve[] {
  const all = own.flatMap(({ pair, readers }) => readers.map((reader) => ({ pair, reader })))
  const [pairs, readers] = [pairsIn(own), new Set(all.map(({ reader }) => reader.name))]
  return all.map(({ pair, reader }, index) => ({
    name: readers.size === 1 ? pair : pairs.length === 1 ? reader.name : `${pair}, ${reader.name}`,
    pair,
    reader,
    column: 2 + index * staleColumns.length,
  }))
}

/** A row for each delay; the first column is when the reads began, on average of all curves. */
function staleTable({ store, condition, own }: Group<StaleResult>): Table {
  const curves = staleCurves(own)
  const delays = [
    ...new Set(curves.flatMap(({ reader }) => reader.points.map(({ delayMs }) => delayMs))),
  ].toSorted((a, b) => a - b)
  const rows = delays.map((delayMs) => {
    const points = curves.map(({ reader }) => reader.points.find((point) => point.delayMs === delayMs))
    const times = points.flatMap((point) => point?.atMs ?? [])
    return [
      times.reduce((sum, one) => sum + one, 0) / times.length,
      delayMs,
      ...points.flatMap((point) =>
        point === undefined ? [null, null, null] : [point.share, point.low, point.high],
      ),
    ]
  })
  return {
    key: `stale/${store}/${condition}`,
    name: `stale-${fileText(store)}${condition === 'calm' ? '' : '-disturbed'}`,
    title: `${store}${conditionText(condition)}: share of stale reads, and its 95 % interval, by time since the write`,
    columns: [
      'since_write_ms',
      'planned_ms',
      ...curves.flatMap(({ pair, reader }) =>
        staleColumns.map((name) => `${columnText(pair)}_${columnText(reader.name)}_${name}`),
      ),
    ],
    rows: rows.toSorted((a, b) => (a[0] as number) - (b[0] as number)),
  }
}

function columnText(text: string): string {
  return text.replace(/\W+/g, '_')
}
