import { histogramOf } from '@unikv/core/histogram'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, formatMs, noIntervalText } from '../../../report/words.ts'
import type { JobResult, SessionResult, SessionRunResult } from '../result.ts'
import { monitorTable } from './monitor-words.ts'

/** Characters of a command in a table. */
const mostCommand = 40

/** Transactions, sessions, result modes, events and monitors, below the tables of every driven store. */
export function sessionTables({ jobs }: SessionResult): readonly ReportTable[] {
  const ofSessions = jobs.filter(({ control }) => control !== 'none')
  const own = ofSessions.length === 0 ? [] : [transactions(ofSessions), sessions(ofSessions)]
  return [...own, ...modes(jobs), ...events(jobs), ...monitorTable(jobs)]
}

/** Jobs side by side, by the parameters that differ among them. */
export function jobTable({ jobs, targets }: SessionResult): ReportTable {
  const all = [...new Set(jobs.flatMap(({ parameters }) => Object.keys(parameters)))]
  const names = all.filter((name) => new Set(jobs.map(({ parameters }) => parameters[name])).size > 1)
  const units = new Set(jobs.map(({ unit }) => unit))
  const [only] = units.size === 1 ? units : []
  const rateHead = only === undefined ? 'a second' : `${only}/s`
  const head = ['job', ...names, rateHead, '± 95 %', 'ended late', 'conflicts per commit']
  const rows = jobs.map(({ name, parameters, runs, unit, rate: { mean, halfWidth, runs: rates } }, at) => {
    const { committed = 0, conflicts = 0 } = summed(runs)
    return [
      name,
      ...names.map((one) => parameters[one] ?? ''),
      only === undefined ? `${formatCount(mean)} ${unit}` : formatCount(mean),
      halfWidth === null || halfWidth >= mean ? noIntervalText(rates.length) : formatCount(halfWidth),
      String(total((targets[at]?.operations ?? []).map(({ late }) => late))),
      committed === 0 ? '–' : formatCount(conflicts / committed),
    ]
  })
  return { title: 'Jobs', head, rows }
}

function transactions(jobs: readonly JobResult[]): ReportTable {
  return {
    title: 'Transactions of all runs',
    head: ['job', 'control', 'committed', 'conflicts', 'per commit', 'retries', 'given up', 'waited'],
    names: 2,
    rows: jobs.map(({ name, control, runs }) => {
      const { committed = 0, conflicts = 0, retries = 0, givenUp = 0, waitedMs = 0 } = summed(runs)
      return [
        name,
        control,
        String(committed),
        String(conflicts),
        committed === 0 ? '–' : formatCount(conflicts / committed),
        String(retries),
        String(givenUp),
        formatMs(waitedMs),
      ]
    }),
  }
}

function sessions(jobs: readonly JobResult[]): ReportTable {
  return {
    title: 'Sessions of all runs',
    head: [
      'job',
      'begun',
      'ended',
      'interactions each',
      'most',
      'new users',
      'waited for a caller, p95',
      'making the data',
    ],
    rows: jobs.map(({ name, runs, populateMs }) => {
      const counts = runs.map((one) => one.sessions)
      const ended = total(counts.map((one) => one.ended))
      const interactions = total(counts.map((one) => one.interactions))
      return [
        name,
        String(total(counts.map(({ begun }) => begun))),
        String(ended),
        ended === 0 ? '–' : formatCount(interactions / ended),
        ended === 0 ? '–' : String(Math.max(...counts.map(({ mostInteractions }) => mostInteractions))),
        String(total(counts.map(({ newUsers }) => newUsers))),
        waited(runs),
        formatMs(populateMs),
      ]
    }),
  }
}

/** Results of interactions that differ from the usual one. */
function modes(jobs: readonly JobResult[]): readonly ReportTable[] {
  const rows = jobs.flatMap(({ name, runs }) =>
    [...countsByMode(runs)].map(([key, found]) => [name, ...key.split('@'), String(found)]),
  )
  if (rows.length === 0) return []
  return [{ title: 'Result modes', head: ['job', 'interaction', 'mode', 'times'], names: 3, rows }]
}

function countsByMode(runs: readonly SessionRunResult[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { modes: ofRun } of runs)
    for (const [interaction, found] of Object.entries(ofRun))
      for (const [mode, times] of Object.entries(found)) {
        const key = `${interaction}@${mode}`
        counts.set(key, (counts.get(key) ?? 0) + times)
      }
  return counts
}

function events(jobs: readonly JobResult[]): readonly ReportTable[] {
  const rows = jobs.flatMap(({ name, runs }) =>
    runs.flatMap(({ run, events: happened }) =>
      happened.map(({ atMs, elapsedMs, command, problem }) => [
        name,
        String(run),
        formatMs(atMs),
        formatMs(elapsedMs),
        problem ?? 'ok',
        short(command),
      ]),
    ),
  )
  if (rows.length === 0) return []
  return [{ title: 'Events', head: ['job', 'run', 'at', 'took', 'outcome', 'command'], names: 2, rows }]
}

/** A long command would push the table off a terminal: the document has it whole. */
function short(command: string): string {
  const [line = '', ...others] = command.trim().split('\n')
  return line.length <= mostCommand && others.length === 0
    ? line
    : `${line.slice(0, mostCommand - 1).trimEnd()}…`
}

function waited(runs: readonly SessionRunResult[]): string {
  const [first, ...others] = runs.map(({ waits }) => histogramOf(waits))
  if (first === undefined) return '–'
  for (const one of others) first.merge(one)
  return first.count === 0 ? '–' : formatMs(first.percentile(95) / 1e6)
}

function summed(runs: readonly SessionRunResult[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { transactions: counts } of runs)
    for (const [name, value] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + value
  return sums
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}
