import { figures, type Row, rowsAt } from '../../../cube/row.ts'
import { formatDuration, formatExact, formatMs } from '../../../report/words/units.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import { nameOf } from '../layers.ts'
import type { Added, OverheadResult, OverheadRow, OverheadTrend } from '../result.ts'
import type { SideName } from '../side/messages.ts'
import { plots, summary } from './views.ts'
import { percentText, sideNames, sideOf, us } from './words.ts'

/** The report of the study. */
export const report: StudyReport<OverheadResult> = {
  title: 'Overhead',
  sections: [
    {
      id: 'times',
      title: 'Times',
      lead: 'Medians of the native client and of the other sides over the same server.',
    },
  ],
  findings,
  ...viewed({ rows, summary, plots }),
  setup,
  method,
}

function findings(result: OverheadResult): readonly string[] {
  const stores = [...new Set(result.rows.map(({ store }) => store))]
  return stores.flatMap((store) => {
    const others = sideNames(rowsOf(result, store)).slice(1)
    return [
      ...others.map((side) => costs(result, store, side)),
      ...others.flatMap((side) => overVolumes(result, store, side)),
      ...relative(rowsOf(result, store), store),
      ...leftOut(result, store),
    ]
  })
}

function rowsOf({ rows }: OverheadResult, store: string): readonly OverheadRow[] {
  return rows.filter((row) => row.store === store)
}

/** The name of a side in a sentence. */
function sideText(side: SideName, { config }: OverheadResult): string {
  return side === 'layers' ? `unikv with ${config.layers.map(nameOf).join(', ')}` : side
}

/** At the smallest volume, operation by operation. */
function costs(result: OverheadResult, store: string, side: SideName): string {
  const own = rowsOf(result, store)
  const first = own
    .filter(({ volume }) => volume === own[0]?.volume)
    .map((row) => ({ operation: row.operation, adds: addedBy(row, side) }))
  const parts = first
    .filter(({ adds }) => !isUnknown(adds))
    .map(({ operation, adds }) => `${operation} ${us(adds.ms.median)} (${percentText(adds.percent)})`)
  const unknown = first.filter(({ adds }) => isUnknown(adds)).map(({ operation }) => operation)
  if (unknown.length > 0) parts.push(`for ${unknown.join(', ')} no difference that these runs can tell`)
  const few = first.some(({ adds }) => adds.ms.low === null) ? ' (too few runs for an interval)' : ''
  return `${store}: what ${sideText(side, result)} adds to the native client${few}: ${parts.join('; ')}.`
}

function addedBy(row: OverheadRow, side: SideName): Added {
  return sideOf(row, side).adds as Added
}

/** Whether the interval of the difference holds zero. */
function isUnknown({ ms: { low, high } }: Added): boolean {
  return low !== null && high !== null && low <= 0 && high >= 0
}

function overVolumes(result: OverheadResult, store: string, side: SideName): readonly string[] {
  const own = result.trends.filter((trend) => trend.store === store && trend.side === side)
  if (own.length === 0) return []
  const named = (verdict: OverheadTrend['verdict']): string =>
    own
      .filter((one) => one.verdict === verdict)
      .map(({ operation }) => operation)
      .join(', ')
  const told = (
    [
      ['constant', 'stays the same'],
      ['grows', 'grows'],
      ['falls', 'falls'],
      ['unclear', 'cannot be told from so few runs'],
    ] as const
  ).flatMap(([verdict, words]) => (named(verdict) === '' ? [] : [`${words} for ${named(verdict)}`]))
  return [`${store}: as the volume grows, what ${sideText(side, result)} adds ${told.join(', ')}.`]
}

/** The cost is the same, so its share is smaller where the native client is slower. */
function relative(rows: readonly OverheadRow[], store: string): readonly string[] {
  const known = rows.filter((row) => !isUnknown(addedBy(row, 'unikv')))
  const own = known.toSorted((a, b) => sideOf(a, 'native').p50Ms - sideOf(b, 'native').p50Ms)
  const [fastest, slowest] = [own[0], own.at(-1)]
  if (fastest === undefined || slowest === undefined) return []
  const [most, least] = [addedBy(fastest, 'unikv').percent, addedBy(slowest, 'unikv').percent]
  if (fastest === slowest || most <= least) return []
  return [
    `${store}: the share of unikv falls as the native time rises, from ${percentText(most)} of ${us(sideOf(fastest, 'native').p50Ms)} to ${percentText(least)} of ${us(sideOf(slowest, 'native').p50Ms)}.`,
  ]
}

function leftOut({ notRun }: OverheadResult, store: string): readonly string[] {
  return notRun
    .filter((one) => one.store === store)
    .map(
      ({ volume, needsMs, leftMs }) =>
        `${store}: not run with ${formatExact(volume)} records, which would take about ${formatDuration(needsMs)}; ${formatDuration(leftMs)} of the budget was left.`,
    )
}

function setup({ config }: OverheadResult): readonly SetupLine[] {
  const { volumes, callers, valueSize, runs, durationMs, warmupMs, layers, beside, budgetMs, delayMs } =
    config
  return [
    ['records', volumes.map(formatExact).join(', ')],
    ['values', `${formatExact(valueSize)} bytes`],
    ['callers', String(callers)],
    ...(delayMs === 0 ? [] : [['delay', `answers arrive ${formatMs(delayMs)} later`] as const]),
    ...(budgetMs === null ? [] : [['budget', formatDuration(budgetMs)] as const]),
    ...(beside.length === 0 ? [] : [['beside', beside.join(', ')] as const]),
    ...(layers.length === 0 ? [] : [['layers', layers.map(nameOf).join(', ')] as const]),
    [
      'runs',
      `${runs} of ${formatMs(durationMs)} for each operation and side, after ${formatMs(warmupMs)} that do not count`,
    ],
  ]
}

function method(): string {
  return [
    '<p>Each side has a process and data of its own on the same server. They take turns, operation by operation, and another one begins in each run.',
    'The native side runs the statements that a program without unikv would have, by the driver that unikv uses and with its connections:',
    'prepared where the driver prepares, on a table of keys and values. unikv keeps a version and an expiry with each value besides.',
    'The side <i>layers</i> is unikv with the layers named; over <i>json</i> and <i>structured</i> its values are objects of ten fields that are as long as text.',
    'Other libraries have texts as values, and are those of the project in which the command ran.</p>',
    '<p>What a side adds is the difference of its median to that of the native client in a run: the middle one of all runs, and its 95 % interval by the sign test. The study of 2018 compares means.',
    'An insert writes a new key, a delete removes it again, so the number of records stays the same.</p>',
  ].join(' ')
}

/** Times of each side, and what it adds to the native client: medians over the runs. */
function rows({ rows: measured }: OverheadResult): readonly Row[] {
  return measured.flatMap(({ store, volume, operation, sides }) =>
    sides.flatMap(({ side, meanMs, p50Ms, p99Ms, calls, adds }) =>
      rowsAt({ store, dimensions: { operation, records: volume, side } }, [
        { measure: 'operations', unit: 'count', value: calls },
        ...figures('service', 'ms', { mean: meanMs, p50: p50Ms, p99: p99Ms }),
        ...(adds === null ? [] : figures('added', 'ms', { ...adds.ms })),
        ...(adds === null ? [] : figures('added share', 'share', { median: adds.percent / 100 })),
      ]),
    ),
  )
}
