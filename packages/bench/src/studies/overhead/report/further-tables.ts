import { Cell } from '../../../cube/cell.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatExact } from '../../../report/words.ts'
import type { OverheadResult } from '../config.ts'
import { operations } from '../plan.ts'
import type { Operation } from '../side/messages.ts'
import { addedIn, addedText, intervalText, isOfPairs, us } from './words.ts'

/** A published overhead over a native client, in milliseconds, on so many nodes. */
interface Published {
  readonly middleware: string
  readonly nodes: number
  readonly ms: Readonly<Record<Operation, number>>
}

/**
 * Published figures: Rafique, Van Landuyt, Reniers and Joosen, a study of data-access middleware for Cassandra (2018), tables 4
 * and 6. The text of the paper gives 1.03 ms for a read by Spring Data on five nodes, its table 0.93 ms.
 */
export const published: readonly Published[] = [
  { middleware: 'Kundera', nodes: 1, ms: { insert: 1.2, read: 0.32, update: 1.1, delete: 2.15 } },
  { middleware: 'Kundera', nodes: 3, ms: { insert: 1, read: 0.27, update: 1.2, delete: 2.62 } },
  { middleware: 'Kundera', nodes: 5, ms: { insert: 0.77, read: 0.16, update: 0.73, delete: 2.98 } },
  { middleware: 'PlayORM', nodes: 1, ms: { insert: 1.3, read: 0.2, update: 1.22, delete: 1.43 } },
  { middleware: 'PlayORM', nodes: 3, ms: { insert: 1.42, read: 0.2, update: 1.49, delete: 1.83 } },
  { middleware: 'PlayORM', nodes: 5, ms: { insert: 1.18, read: 0.1, update: 0.92, delete: 1.42 } },
  { middleware: 'Spring Data', nodes: 1, ms: { insert: 1.34, read: 0.74, update: 1.24, delete: 3.25 } },
  { middleware: 'Spring Data', nodes: 3, ms: { insert: 1.52, read: 1, update: 1.57, delete: 4.13 } },
  { middleware: 'Spring Data', nodes: 5, ms: { insert: 1.26, read: 0.93, update: 1.02, delete: 4.25 } },
]

/** Native times of the same study in milliseconds, which follow from its tables of absolute and relative overheads. */
const publishedNativeMs: Readonly<Record<number, Readonly<Record<Operation, number>>>> = {
  1: { insert: 2.1, read: 2, update: 1.87, delete: 1.83 },
  3: { insert: 3, read: 2.9, update: 2.55, delete: 2.38 },
  5: { insert: 3.4, read: 3.3, update: 3.18, delete: 3 },
}

/** Conclusions from the times: trends over volumes, nodes side by side, and published figures. */
export function furtherTables(result: OverheadResult): readonly ReportTable[] {
  return [...trends(result), ...byNodes(result), publishedTable()]
}

function trends(result: OverheadResult): readonly ReportTable[] {
  const { trends: all } = result
  if (all.length === 0) return []
  const isPair = isOfPairs(new Cell(result.rows, {}))
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
  const all = new Cell(rows, {}).at({ side: 'unikv' })
  const named = all.valuesOf('store').flatMap((store) => {
    const [, base, nodes] = /^(.+)-(\d+)$/.exec(String(store)) ?? []
    return base === undefined ? [] : [{ base, nodes: Number(nodes), cell: all.at({ store }) }]
  })
  return [...new Set(named.map(({ base }) => base))].flatMap((base) => {
    const own = named.filter((one) => one.base === base).toSorted((a, b) => a.nodes - b.nodes)
    if (own.length < 2) return []
    const volumes = [...new Set(own.flatMap(({ cell }) => cell.valuesOf('records')))]
    return [
      {
        title: `${base}: what unikv adds, by nodes`,
        head: [
          'records',
          'operation',
          ...own.map(({ nodes }) => `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`),
        ],
        names: 2,
        rows: volumes.flatMap((records) =>
          operations.map((operation) => [
            formatExact(Number(records)),
            operation,
            ...own.map(({ cell }) => {
              const found = addedIn(cell.at({ records, operation }))
              return found === null ? '–' : addedText(found)
            }),
          ]),
        ),
      },
    ]
  })
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
export function publishedPercent(nodes: number, operation: Operation, ms: number): number {
  return (100 * ms) / (publishedNativeMs[nodes]?.[operation] as number)
}
