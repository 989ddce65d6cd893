import { Cell } from '../../../cube/cell.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatExact } from '../../../report/words.ts'
import type { OverheadResult } from '../config.ts'
import { operations } from '../plan.ts'
import { addedIn, addedText, intervalText, isOfPairs, us } from './words.ts'

/** The study of 2018 leaves searches to later work. */
type Operation = (typeof operations)[number]

/** Published overheads over a native client of Cassandra on so many nodes, in milliseconds and per cent of the native time. */
interface Published {
  readonly middleware: string
  readonly nodes: number
  readonly added: Readonly<Record<Operation, readonly [ms: number, percent: number]>>
}

/**
 * Published figures: Rafique, Van Landuyt, Lagaisse and Joosen, a study of data-access middleware (2018), tables 4 to 7. The text of
 * the paper gives 1.03 ms (31 %) for a read by Spring Data on five nodes, its tables 0.93 ms (28 %).
 */
export const published: readonly Published[] = [
  onNodes('Kundera', 1, [1.2, 57], [0.32, 16], [1.1, 59], [2.15, 117]),
  onNodes('Kundera', 3, [1, 33], [0.27, 9], [1.2, 47], [2.62, 110]),
  onNodes('Kundera', 5, [0.77, 23], [0.16, 5], [0.73, 23], [2.98, 100]),
  onNodes('PlayORM', 1, [1.3, 62], [0.2, 10], [1.22, 65], [1.43, 78]),
  onNodes('PlayORM', 3, [1.42, 47], [0.2, 7], [1.49, 58], [1.83, 77]),
  onNodes('PlayORM', 5, [1.18, 35], [0.1, 3], [0.92, 29], [1.42, 47]),
  onNodes('Spring Data', 1, [1.34, 64], [0.74, 36], [1.24, 66], [3.25, 178]),
  onNodes('Spring Data', 3, [1.52, 50], [1, 34], [1.57, 62], [4.13, 173]),
  onNodes('Spring Data', 5, [1.26, 37], [0.93, 28], [1.02, 32], [4.25, 142]),
]

function onNodes(
  middleware: string,
  nodes: number,
  ...[insert, read, update, del]: readonly [Pair, Pair, Pair, Pair]
): Published {
  return { middleware, nodes, added: { insert, read, update, delete: del } }
}

type Pair = readonly [ms: number, percent: number]

/** Per cent of the native time on one node, for insert, read, update and delete: table 8 of the same study. */
export const publishedByStore: readonly (readonly [middleware: string, store: string, ...number[]])[] = [
  ['Kundera', 'Cassandra', 57, 16, 59, 117],
  ['Kundera', 'MongoDB', 55, 25, 58, 109],
  ['PlayORM', 'Cassandra', 62, 10, 65, 78],
  ['PlayORM', 'MongoDB', 77, 18, 75, 81],
  ['Spring Data', 'Cassandra', 64, 36, 66, 178],
  ['Spring Data', 'MongoDB', 144, 25, 100, 145],
]

/** Conclusions from the times: trends over volumes, nodes side by side, and published figures. */
export function furtherTables(result: OverheadResult): readonly ReportTable[] {
  return [...trends(result), ...byNodes(result), publishedTable(), tableByStore()]
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
    rows: published.map(({ middleware, nodes, added }) => [
      middleware,
      String(nodes),
      ...operations.map((one) => `${added[one][0].toFixed(2)} (${added[one][1]} %)`),
    ]),
  }
}

/** The same study asks whether the store makes a difference. */
function tableByStore(): ReportTable {
  return {
    title: 'Published for one node (Rafique et al., 2018), per cent of the native time',
    head: ['middleware', 'store', ...operations],
    names: 2,
    rows: publishedByStore.map(([middleware, store, ...percents]) => [
      middleware,
      store,
      ...percents.map((one) => `${one} %`),
    ]),
  }
}
