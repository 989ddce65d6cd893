import { type SessionConfig, shownParameters } from '@unikv/study-session'
import { formatLength, type ReportTable, textTable } from '@unikv/workload/report'
import { kindOf } from '../versions.ts'
import { type SuiteJob, varied } from './jobs.ts'

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
  const all = planned.reduce((sum, [, config]) => sum + timeOf(config), 0)
  return `${textTable(table, width)}\nMeasuring takes ${formatLength(all)}, and making the data comes on top. Nothing was written yet.\n`
}

function rowOf([job, config]: PlannedJob, names: readonly string[]): readonly string[] {
  const parameters = shownParameters(job.parameters)
  return [
    job.folder,
    ...names.map((name) => parameters[name] ?? ''),
    kindOf(job.url),
    config.operations?.name ?? config.benchmark,
    config.operations === null ? config.access.style : '–',
    String(config.sessions),
    config.loads === null ? formatLength(timeOf(config)) : '–',
  ]
}

/** Loads take as long as they take. */
function timeOf({ warmupMs, durationMs, runs, loads }: SessionConfig): number {
  if (loads !== null) return 0
  return warmupMs + durationMs * runs
}
