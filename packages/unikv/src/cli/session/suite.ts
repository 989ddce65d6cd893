import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jobTable, type SessionResult, session } from '@unikv/study-session'
import type { AnyStudy } from '@unikv/workload'
import { joinedResult } from '@unikv/workload/driven'
import { reportPage, textTable } from '@unikv/workload/report'
import { readResult } from '../bench/read-result.ts'
import type { SuiteJob } from './jobs.ts'

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
  const joined = joinedOf(measured)
  const study = session as unknown as AnyStudy
  const file = join(out, 'report.html')
  await writeFile(
    file,
    reportPage(study, joined, { findings: [], folders: measured.map(({ job }) => job.folder) }),
  )
  return `\n${textTable(jobTable(joined), width)}\nReport of all jobs: ${file}\n`
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

/** The results of all jobs as one. */
function joinedOf(measured: readonly Measured[]): SessionResult {
  const named = measured.map(({ job, result }) => ({ name: job.folder, result }))
  return {
    ...joinedResult(named),
    jobs: measured.flatMap(({ job, result }) => result.jobs.map((one) => ({ ...one, name: job.folder }))),
  }
}
