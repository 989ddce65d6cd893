import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnyStudy } from '@unikv/bench'
import { joinedFindings, joinedResult, type NamedResult, reportPage, resultFiles } from '@unikv/bench/report'
import { jobTable, type SessionResult, session } from '@unikv/bench/studies/session'
import { textTable } from '@unikv/bench/words'
import { maskUrl } from '@unikv/stores/lazy'
import { readResult } from '../bench/read-result.ts'
import type { SuiteJob } from './jobs.ts'

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
  const result = await readResult(session, join(out, folder)).catch(() => undefined)
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
  const results = measured.map(namedOf)
  const joined = joinedOf(measured)
  const page = reportPage(study, joined, {
    findings: joinedFindings(results),
    folders: measured.map(({ job }) => job.folder),
  })
  const files = resultFiles(study, joined)
  for (const [name, content] of [...files, ['report.html', page] as const])
    if (/\.(html|dat|csv|gp)$|^rows\.json$/.test(name)) await writeFile(join(out, name), content)
  const file = join(out, 'report.html')
  return `\n${textTable(jobTable(joined), width)}\nReport of all jobs: ${file}\n`
}

async function measuredOf(out: string, jobs: readonly SuiteJob[]): Promise<readonly Measured[]> {
  const all = await Promise.all(jobs.map(async (job) => ({ job, result: await resultOf(out, job) })))
  return all.filter((one): one is Measured => one.result !== undefined)
}

const study = session as unknown as AnyStudy

function namedOf({ job, result }: Measured): NamedResult {
  return { name: job.folder, study, result }
}

/** The results of all jobs as one. */
function joinedOf(measured: readonly Measured[]): SessionResult {
  const joined = joinedResult(measured.map(namedOf)) as unknown as SessionResult
  return {
    ...joined,
    jobs: measured.flatMap(({ job, result }) => result.jobs.map((one) => ({ ...one, name: job.folder }))),
  }
}
