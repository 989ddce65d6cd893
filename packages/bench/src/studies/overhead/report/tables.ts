import type { ReportTable } from '../../../report/report-table.ts'
import type { Table } from '../../../report/table.ts'
import { formatExact } from '../../../report/words/units.ts'
import { operations } from '../plan.ts'
import { published, publishedNativeMs } from '../published.ts'
import type { Middle, OverheadResult, OverheadRow, SideResult } from '../result.ts'
import type { Operation, SideName } from '../side/messages.ts'

/** Times of all sides, and what they add, in the layout of tables 4 to 8 of the study. */
export function summary(result: OverheadResult): readonly ReportTable[] {
  const isPair = isOfPairs(result)
  return [
    isPair ? measured(result) : ofManySides(result),
    ...trends(result),
    ...byNodes(result),
    publishedTable(),
  ]
}

function isOfPairs({ rows }: OverheadResult): boolean {
  return rows.every(({ sides }) => sides.length === 2)
}

function measured({ rows }: OverheadResult): ReportTable {
  return {
    title: 'Medians, and what unikv adds',
    head: ['store', 'records', 'operation', 'native', 'unikv', 'adds', '95 %', 'adds %'],
    names: 3,
    rows: rows.map((row) => [
      row.store,
      formatExact(row.volume),
      row.operation,
      us(sideOf(row, 'native').p50Ms),
      us(sideOf(row, 'unikv').p50Ms),
      ...addedTexts(sideOf(row, 'unikv')),
    ]),
  }
}

/** A row for each side. */
function ofManySides({ rows }: OverheadResult): ReportTable {
  return {
    title: 'Medians, and what each side adds to the native client',
    head: ['store', 'records', 'operation', 'side', 'takes', 'adds', '95 %', 'adds %'],
    names: 4,
    rows: rows.flatMap((row) =>
      row.sides.map((one) => [
        row.store,
        formatExact(row.volume),
        row.operation,
        one.side,
        us(one.p50Ms),
        ...addedTexts(one),
      ]),
    ),
  }
}

function addedTexts({ adds }: SideResult): readonly string[] {
  if (adds === null) return ['', '', '']
  return [us(adds.ms.median), intervalText(adds.ms), percentText(adds.percent)]
}

function trends(result: OverheadResult): readonly ReportTable[] {
  const { trends: all } = result
  if (all.length === 0) return []
  const isPair = isOfPairs(result)
  return [
    {
      title: 'As the volume doubles',
      head: ['store', 'operation', ...(isPair ? [] : ['side']), 'adds', '95 %', 'verdict'],
      names: isPair ? 2 : 3,
      rows: all.map(({ store, operation, side, slopeMs, lowMs, highMs, verdict }) => [
        store,
        operation,
        ...(isPair ? [] : [side]),
        us(slopeMs),
        intervalText({ low: lowMs, high: highMs }),
        verdict,
      ]),
    },
  ]
}

/** Stores whose names end with a number of nodes, such as cassandra-1 and cassandra-3, side by side. */
function byNodes({ rows }: OverheadResult): readonly ReportTable[] {
  const named = rows.flatMap((row) => {
    const [, base, nodes] = /^(.+)-(\d+)$/.exec(row.store) ?? []
    return base === undefined ? [] : [{ base, nodes: Number(nodes), row }]
  })
  return [...new Set(named.map(({ base }) => base))].flatMap((base) => {
    const own = named.filter((one) => one.base === base)
    const counts = [...new Set(own.map(({ nodes }) => nodes))].toSorted((a, b) => a - b)
    if (counts.length < 2) return []
    const volumes = [...new Set(own.map(({ row }) => row.volume))]
    return [
      {
        title: `${base}: what unikv adds, by nodes`,
        head: [
          'records',
          'operation',
          ...counts.map((nodes) => `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`),
        ],
        names: 2,
        rows: volumes.flatMap((volume) =>
          operations.map((operation) => [
            formatExact(volume),
            operation,
            ...counts.map((nodes) => {
              const found = own.find(
                (one) => one.nodes === nodes && one.row.volume === volume && one.row.operation === operation,
              )
              return found === undefined ? '–' : shortText(sideOf(found.row, 'unikv'))
            }),
          ]),
        ),
      },
    ]
  })
}

function shortText({ adds }: SideResult): string {
  return adds === null ? '' : `${us(adds.ms.median)} (${percentText(adds.percent)})`
}

/** For comparison; other machines, other servers. */
function publishedTable(): ReportTable {
  return {
    title: 'Published for Cassandra (Rafique et al., 2018), milliseconds and per cent of the native time',
    head: ['middleware', 'nodes', ...operations],
    names: 2,
    rows: published.map(({ middleware, nodes, ms }) => [
      middleware,
      String(nodes),
      ...operations.map(
        (one) => `${ms[one].toFixed(2)} (${Math.round(publishedPercent(nodes, one, ms[one]))} %)`,
      ),
    ]),
  }
}

/** An overhead of the study as a share of its native time, in per cent. */
export function publishedPercent(nodes: number, operation: OverheadRow['operation'], ms: number): number {
  return (100 * ms) / (publishedNativeMs[nodes]?.[operation] as number)
}

/** Columns of numbers, one volume a row. */
export function columns({ rows }: OverheadResult): readonly Table[] {
  const stores = [...new Set(rows.map(({ store }) => store))]
  return stores.map((store) => {
    const own = rows.filter((row) => row.store === store)
    const sides = sideNames(own)
    const volumes = [...new Set(own.map(({ volume }) => volume))]
    return {
      key: store,
      name: `overhead-${store.replace(/[^\w.-]+/g, '_')}`,
      title: `${store}: medians of all sides, and what they add, by records`,
      columns: ['records', ...operations.flatMap((one) => columnNames(one, sides))],
      rows: volumes.map((volume) => [
        volume,
        ...operations.flatMap((one) => {
          const row = own.find((each) => each.volume === volume && each.operation === one)
          return row === undefined ? columnNames(one, sides).map(() => null) : numbersOf(row)
        }),
      ]),
    }
  })
}

/** The sides of a store, by its rows. */
export function sideNames([row]: readonly OverheadRow[]): readonly SideName[] {
  return row?.sides.map(({ side }) => side) ?? []
}

/** The first column of a side's times of an operation, among `columns`. */
export function columnOf(sides: readonly SideName[], operation: number, side: number): number {
  return 1 + operation * columnNames('read', sides).length + side
}

function columnNames(operation: Operation, sides: readonly SideName[]): readonly string[] {
  const costs = sides.slice(1).flatMap((side) => {
    const name = side === 'unikv' ? operation : `${operation}_${side}`
    return [`${name}_adds_ms`, `${name}_low_ms`, `${name}_high_ms`]
  })
  return [...sides.map((side) => `${operation}_${side}_ms`), ...costs]
}

function numbersOf({ sides }: OverheadRow): readonly (number | null)[] {
  const costs = sides.flatMap(({ adds }) =>
    adds === null ? [] : [adds.ms.median, adds.ms.low, adds.ms.high],
  )
  return [...sides.map(({ p50Ms }) => p50Ms), ...costs]
}

/** The result of one side. */
export function sideOf({ sides }: OverheadRow, side: SideResult['side']): SideResult {
  return sides.find((one) => one.side === side) as SideResult
}

/** Milliseconds as microseconds, or as they are if there are many. */
export function us(ms: number): string {
  return Math.abs(ms) < 10 ? `${whole(ms)} µs` : `${ms.toFixed(1).replace('-', '−')} ms`
}

/** Short, so that a table fits into a terminal. */
function rangeText(lowMs: number, highMs: number): string {
  return `${whole(lowMs)}…${whole(highMs)} µs`
}

/** Whole microseconds, with a sign that is not a hyphen. */
function whole(ms: number): string {
  return String(Math.round(ms * 1_000) + 0).replace('-', '−')
}

function intervalText({ low, high }: Pick<Middle, 'low' | 'high'>): string {
  return low === null || high === null ? '–' : rangeText(low, high)
}

/** A share with a sign that is not a hyphen. */
export function percentText(value: number): string {
  return `${value.toFixed(1).replace('-', '−')} %`
}
