import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SessionResult, session } from '@unikv/study-session'
import type { AnyStudy } from '@unikv/workload'
import { joinedResult } from '@unikv/workload/driven'
import { formatCount, type ReportTable, reportPage, textTable } from '@unikv/workload/report'
import { readResult } from '../bench/read-result.ts'
import { type SuiteJob, varied } from './jobs.ts'

interface Measured {
  readonly job: SuiteJob
  readonly result: SessionResult
}

/** Whether a folder has the complete result of this document. */
export async function isMeasured(folder: string, document: string): Promise<boolean> {
  const kept = await readFile(join(folder, 'document.xml'), 'utf8').catch(() => undefined)
  if (kept !== document) return false
  const result = await readResult(session, folder).catch(() => undefined)
  return result?.status === 'complete'
}

/** Write the page of all jobs that have a result. Returns the table of them, and where the page is. */
export async function writeSuite(
  out: string,
  jobs: readonly SuiteJob[],
  width: number | undefined,
): Promise<string> {
  const measured = await measuredOf(out, jobs)
  if (measured.length === 0) return ''
  const table = suiteTable(measured, varied(jobs))
  const file = join(out, 'report.html')
  await writeFile(file, pageOf(measured))
  return `\n${textTable(table, width)}\nReport of all jobs: ${file}\n`
}

async function measuredOf(out: string, jobs: readonly SuiteJob[]): Promise<readonly Measured[]> {
  const all = await Promise.all(
    jobs.map(async (job) => ({
      job,
      result: await readResult(session, join(out, job.folder)).catch(() => undefined),
    })),
  )
  return all.filter((one): one is Measured => one.result !== undefined)
}

/** One page with the jobs side by side. */
function pageOf(measured: readonly Measured[]): string {
  const named = measured.map(({ job, result }) => ({ name: job.folder, result }))
  const joined = {
    ...joinedResult(named),
    jobs: measured.flatMap(({ job, result }) => result.jobs.map((one) => ({ ...one, name: job.folder }))),
  }
  const study = session as unknown as AnyStudy
  return reportPage(study, joined, {
    findings: [],
    folders: named.map(({ name }) => name),
  })
}

/** The jobs by their parameters. */
function suiteTable(measured: readonly Measured[], names: readonly string[]): ReportTable {
  return {
    title: 'Jobs',
    head: ['job', ...names, 'store', 'interactions/s', '± 95 %', 'conflicts per commit'],
    rows: measured.map(({ job, result }) => {
      const [target] = result.targets
      return [
        job.folder,
        ...names.map((name) => job.parameters[name] ?? ''),
        target?.store ?? '',
        target === undefined ? '–' : formatCount(target.rate.mean),
        target === undefined || target.rate.halfWidth === null ? '–' : formatCount(target.rate.halfWidth),
        conflictsOf(result),
      ]
    }),
  }
}

function conflictsOf({ jobs }: SessionResult): string {
  const runs = jobs.flatMap((job) => job.runs)
  const sum = (name: string): number => runs.reduce((all, one) => all + (one.transactions[name] ?? 0), 0)
  return sum('committed') === 0 ? '–' : formatCount(sum('conflicts') / sum('committed'))
}
