import { formatExact, type ReportTable, type Table } from '@unikv/workload/report'
import { operations } from '../plan.ts'
import { published, publishedNativeMs } from '../published.ts'
import type { Middle, OverheadResult, OverheadRow, SideResult } from '../result.ts'

/** Times of both sides, and what unikv adds, in the layout of tables 4 to 8 of the study. */
export function summary(result: OverheadResult): readonly ReportTable[] {
  return [measured(result), ...trends(result), publishedTable()]
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
      us(row.overheadMs.median),
      intervalText(row.overheadMs),
      percentText(row.overheadPercent),
    ]),
  }
}

function trends({ trends: all }: OverheadResult): readonly ReportTable[] {
  if (all.length === 0) return []
  return [
    {
      title: 'As the volume doubles',
      head: ['store', 'operation', 'adds', '95 %', 'verdict'],
      names: 2,
      rows: all.map(({ store, operation, slopeMs, lowMs, highMs, verdict }) => [
        store,
        operation,
        us(slopeMs),
        rangeText(lowMs, highMs),
        verdict,
      ]),
    },
  ]
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
    const volumes = [...new Set(own.map(({ volume }) => volume))]
    const at = (volume: number, operation: string): OverheadRow | undefined =>
      own.find((row) => row.volume === volume && row.operation === operation)
    return {
      key: store,
      name: `overhead-${store.replace(/[^\w.-]+/g, '_')}`,
      title: `${store}: medians of both sides, and what unikv adds, by records`,
      columns: [
        'records',
        ...operations.flatMap((one) => [
          `${one}_native_ms`,
          `${one}_unikv_ms`,
          `${one}_adds_ms`,
          `${one}_low_ms`,
          `${one}_high_ms`,
        ]),
      ],
      rows: volumes.map((volume) => [
        volume,
        ...operations.flatMap((one) => {
          const row = at(volume, one)
          if (row === undefined) return [null, null, null, null, null]
          return [
            sideOf(row, 'native').p50Ms,
            sideOf(row, 'unikv').p50Ms,
            row.overheadMs.median,
            row.overheadMs.low,
            row.overheadMs.high,
          ]
        }),
      ]),
    }
  })
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

function intervalText({ low, high }: Middle): string {
  return low === null || high === null ? '–' : rangeText(low, high)
}

/** A share with a sign that is not a hyphen. */
export function percentText(value: number): string {
  return `${value.toFixed(1).replace('-', '−')} %`
}
