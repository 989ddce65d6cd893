import type { ConfigOf } from '@unikv/bench/studies'
import { formatExact, formatLength, type ReportTable, textTable } from '@unikv/bench/words'
import { kindOf } from '../versions.ts'
import { type SuiteJob, varied } from './jobs.ts'
import { session } from './study.ts'

type SessionConfig = ConfigOf<'session'>

/** A job, and its configuration. */
export type PlannedJob = readonly [job: SuiteJob, config: SessionConfig]

/** The jobs of a document, and the time that measuring takes. */
export function planText(planned: readonly PlannedJob[], width?: number): string {
  const names = varied(planned.map(([job]) => job))
  const table: ReportTable = {
    title: 'Jobs',
    head: ['job', ...names, 'store', 'benchmark', 'access', 'sessions', 'time'],
    rows: planned.map((one) => rowOf(one, names)),
  }
  return `${textTable(table, width)}\n${totalText(planned.map(([, config]) => config))} Nothing was written yet.\n`
}

function rowOf([job, config]: PlannedJob, names: readonly string[]): readonly string[] {
  const parameters = session.shownParameters(job.parameters)
  return [
    job.folder,
    ...names.map((name) => parameters[name] ?? ''),
    kindOf(job.url),
    config.operations?.name ?? config.benchmark,
    config.module !== null ? 'own' : config.operations === null ? config.access.style : '–',
    String(config.sessions),
    timeText(config),
  ]
}

/** A load ends with its last record, so its time depends on the store. */
function timeText({ warmupMs, durationMs, runs, loads, operations }: SessionConfig): string {
  if (loads === null) return formatLength(warmupMs + durationMs * runs)
  return `until ${formatExact((operations?.records ?? 0) * runs)} records are written`
}

function totalText(configs: readonly SessionConfig[]): string {
  const timed = configs.filter(({ loads }) => loads === null)
  const isLoading = timed.length < configs.length
  const all = formatLength(timed.reduce((sum, one) => sum + one.warmupMs + one.durationMs * one.runs, 0))
  const loading = 'a load lasts until its records are written: that depends on the store'
  if (timed.length === 0) return `${loading.replace('a', 'A')}.`
  return `Measuring takes ${all}, and making the data comes on top.${isLoading ? ` Beside that, ${loading}.` : ''}`
}
