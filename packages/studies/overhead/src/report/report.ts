import {
  type Figure,
  type FigureAxis,
  formatCount,
  formatExact,
  formatMs,
  type SetupLine,
  type StudyReport,
} from '@unikv/workload/report'
import { operations } from '../plan.ts'
import type { OverheadResult, OverheadRow } from '../result.ts'
import { columns, percentText, sideOf, summary, us } from './tables.ts'

/** The report of the study. */
export const report: StudyReport<OverheadResult> = {
  title: 'Overhead',
  sections: [
    { id: 'times', title: 'Times', lead: 'Medians of the native client and of unikv over the same server.' },
  ],
  findings,
  pageTables: summary,
  summary,
  tables: columns,
  figures,
  besides: () => ({ beside: '', below: '' }),
  setup,
  method,
}

function findings(result: OverheadResult): readonly string[] {
  const stores = [...new Set(result.rows.map(({ store }) => store))]
  return stores.flatMap((store) => [...costs(result, store), ...overVolumes(result, store)])
}

/** At the smallest volume, operation by operation. */
function costs({ rows }: OverheadResult, store: string): readonly string[] {
  const own = rows.filter((row) => row.store === store)
  const first = own.filter(({ volume }) => volume === own[0]?.volume)
  const known = first.filter((row) => !isUnknown(row))
  const parts = known.map(
    ({ operation, overheadMs, overheadPercent }) =>
      `${operation} ${us(overheadMs.median)} (${percentText(overheadPercent)})`,
  )
  const unknown = first.filter(isUnknown).map(({ operation }) => operation)
  if (unknown.length > 0) parts.push(`for ${unknown.join(', ')} no difference that these runs can tell`)
  return [`${store}: what unikv adds to the native client: ${parts.join('; ')}.`]
}

/** Whether the interval of the difference holds zero. */
function isUnknown({ overheadMs: { low, high } }: OverheadRow): boolean {
  return low !== null && high !== null && low <= 0 && high >= 0
}

function overVolumes({ trends, rows }: OverheadResult, store: string): readonly string[] {
  const own = trends.filter((trend) => trend.store === store)
  if (own.length === 0) return []
  const named = (verdict: string): string =>
    own
      .filter((one) => one.verdict === verdict)
      .map(({ operation }) => operation)
      .join(', ')
  const told = [
    ['constant', 'stays the same'],
    ['grows', 'grows'],
    ['falls', 'falls'],
  ].flatMap(([verdict = '', words = '']) => (named(verdict) === '' ? [] : [`${words} for ${named(verdict)}`]))
  return [`${store}: as the volume grows, what unikv adds ${told.join(', ')}.`, ...relative(rows, store)]
}

/** The cost is the same, so its share is smaller where the native client is slower. */
function relative(rows: readonly OverheadRow[], store: string): readonly string[] {
  const own = rows
    .filter((row) => row.store === store)
    .toSorted((a, b) => sideOf(a, 'native').p50Ms - sideOf(b, 'native').p50Ms)
  const [fastest, slowest] = [own[0], own.at(-1)]
  if (fastest === undefined || slowest === undefined || fastest.overheadPercent <= slowest.overheadPercent)
    return []
  return [
    `${store}: its share falls as the native time rises, from ${percentText(fastest.overheadPercent)} of ${us(sideOf(fastest, 'native').p50Ms)} to ${percentText(slowest.overheadPercent)} of ${us(sideOf(slowest, 'native').p50Ms)}.`,
  ]
}

const volumeAxis: FigureAxis = {
  title: 'records in the store',
  scale: 'log',
  format: (value) => formatCount(value),
}

function figures(result: OverheadResult): readonly Figure[] {
  if (result.config.volumes.length < 2) return []
  return columns(result).flatMap((table) =>
    operations.map((operation, i) => ({
      id: `${table.name}-${operation}`,
      group: 'times',
      title: `${table.key}: ${operation}`,
      note: 'Medians of the runs.',
      yLabel: 'time of a call',
      x: volumeAxis,
      series: (['native', 'unikv'] as const).map((name, side) => ({
        name,
        table,
        column: 1 + i * 5 + side,
        colour: { category: side },
        style: 'line' as const,
      })),
      tables: [table],
    })),
  )
}

function setup({ config }: OverheadResult): readonly SetupLine[] {
  const { volumes, callers, valueSize, runs, durationMs, warmupMs } = config
  return [
    ['records', volumes.map(formatExact).join(', ')],
    ['values', `${formatExact(valueSize)} bytes`],
    ['callers', String(callers)],
    [
      'runs',
      `${runs} of ${formatMs(durationMs)} for each operation and side, after ${formatMs(warmupMs)} that do not count`,
    ],
  ]
}

function method(): string {
  return [
    '<p>Each side has a process and data of its own on the same server. They take turns, operation by operation, and the one that begins changes from run to run.',
    'The native side runs the statements that a program without unikv would have, by the driver that unikv uses and with its connections:',
    'prepared where the driver prepares, on a table of keys and values. unikv keeps a version and an expiry with each value besides.</p>',
    '<p>What unikv adds is the difference of the medians of a run: the middle one of all runs, and its 95 % interval by the sign test. The study of 2018 compares means.',
    'An insert writes a new key, a delete removes it again, so the number of records stays the same.</p>',
  ].join(' ')
}
