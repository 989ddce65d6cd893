import type { ReportTable } from '../../../report/report-table.ts'
import { formatExact } from '../../../report/words/units.ts'
import { operations } from '../plan.ts'
import { published, publishedNativeMs } from '../published.ts'
import type { OverheadResult, OverheadRow, SideResult } from '../result.ts'
import { intervalText, percentText, sideOf, us } from './words.ts'

/** Conclusions from the times: trends over volumes, nodes side by side, and published figures. */
export function furtherTables(result: OverheadResult): readonly ReportTable[] {
  return [...trends(result), ...byNodes(result), publishedTable()]
}

function trends(result: OverheadResult): readonly ReportTable[] {
  const { trends: all } = result
  if (all.length === 0) return []
  const isPair = isOfPairs(result.rows)
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

/** Whether unikv is the only side beside the native client. */
export function isOfPairs(rows: readonly OverheadRow[]): boolean {
  return rows.every(({ sides }) => sides.length === 2)
}
