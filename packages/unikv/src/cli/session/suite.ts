import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { textTable } from '@unikv/bench/words'
import { maskUrl } from '@unikv/stores/lazy'
import { readResult } from '../bench/read-result.ts'
import type { SuiteJob } from './jobs.ts'
import { session } from './study.ts'

type SessionResult = ResultOf<'session'>

interface Measured {
  readonly job: SuiteJob
  readonly result: SessionResult
}

/** Whether a folder has the complete result of a job. */
export async function isMeasured(out: string, job: SuiteJob): Promise<boolean> {
  return (await resultOf(out, job))?.status === 'complete'
}

/** The result of a job, if its folder has one: of this document and of this store, and not one of a folder that has the same name. */
async function resultOf(
  out: string,
  { folder, document, url }: SuiteJob,
): Promise<SessionResult | undefined> {
  const result = (await readResult(session, join(out, folder)).catch(() => undefined)) as
    | SessionResult
    | undefined
  const isOfJob = result?.config.document === document && result.stores[0]?.url === maskUrl(url)
  return isOfJob ? result : undefined
}

/** Write the page of all jobs that have a result. Returns the table of them, and where the page is. */
export async function writeSuite(
  out: string,
  jobs: readonly SuiteJob[],
  width: number | undefined,
): Promise<string> {
  const measured = await measuredOf(out, jobs)
  if (measured.length === 0) return ''
  const { files, table } = session.suiteOf(
    measured.map(({ job, result }) => ({ name: job.folder, study: session, result })),
  )
  for (const [name, content] of files) await writeFile(join(out, name), content)
  return `\n${textTable(table, width)}\nReport of all jobs: ${join(out, 'report.html')}\n`
}

async function measuredOf(out: string, jobs: readonly SuiteJob[]): Promise<readonly Measured[]> {
  const all = await Promise.all(jobs.map(async (job) => ({ job, result: await resultOf(out, job) })))
  return all.filter((one): one is Measured => one.result !== undefined)
}
