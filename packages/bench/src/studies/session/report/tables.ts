import { histogramOf } from '@unikv/core/histogram'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, formatMs, noIntervalText } from '../../../report/words.ts'
import { mergedFigures, type OwnFigures } from '../program/program.ts'
import type { JobResult, SessionResult, SessionRunResult } from '../result.ts'
import { monitorTable } from './monitors.ts'

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
    const { committed = 0, conflicts = 0 } = figuresOf(runs).statistics
    return [
      name,
      ...names.map((one) => parameters[one] ?? ''),
      only === undefined ? `${formatCount(mean)} ${unit}` : formatCount(mean),
      halfWidth === null || halfWidth >= mean ? noIntervalText(rates.length) : formatCount(halfWidth),
      String((targets[at]?.operations ?? []).reduce((sum, { late }) => sum + late, 0)),
      formatRatio(conflicts, committed),
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
      const {
        committed = 0,
        conflicts = 0,
        retries = 0,
        givenUp = 0,
        waitedMs = 0,
      } = figuresOf(runs).statistics
      const counts = [committed, conflicts, formatRatio(conflicts, committed), retries, givenUp]
      return [name, control, ...counts.map(String), formatMs(waitedMs)]
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
      const { sessions: counts, waits } = figuresOf(runs)
      const { begun, ended, interactions, mostInteractions, newUsers } = counts
      const most = ended === 0 ? '–' : mostInteractions
      const waited = histogramOf(waits)
      const p95 = waited.count === 0 ? '–' : formatMs(waited.percentile(95) / 1e6)
      const own = [begun, ended, formatRatio(interactions, ended), most, newUsers, p95, formatMs(populateMs)]
      return [name, ...own.map(String)]
    }),
  }
}

/** Results of interactions that differ from the usual one. */
function modes(jobs: readonly JobResult[]): readonly ReportTable[] {
  const rows = jobs.flatMap(({ name, runs }) =>
    Object.entries(figuresOf(runs).modes).flatMap(([interaction, found]) =>
      Object.entries(found).map(([mode, times]) => [name, interaction, mode, String(times)]),
    ),
  )
  if (rows.length === 0) return []
  return [{ title: 'Result modes', head: ['job', 'interaction', 'mode', 'times'], names: 3, rows }]
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

/** The figures of all runs together. */
function figuresOf(runs: readonly SessionRunResult[]): OwnFigures {
  return mergedFigures(runs.map((run) => ({ ...run, statistics: run.transactions })))
}

function formatRatio(some: number, of: number): string {
  return of === 0 ? '–' : formatCount(some / of)
}
