import { join } from 'node:path'
import { studyConfig } from '@unikv/bench'
import { checkResultFolder, FolderClaim } from '@unikv/bench/report'
import type { ConfigOf } from '@unikv/bench/studies'
import { isStoreError, StoreError } from '@unikv/core'
import type { BenchRequest } from '../bench/bench-request.ts'
import { type ProgressOptions, shownProgress } from '../bench/progress/progress-options.ts'
import { runBench } from '../bench/run-bench.ts'
import type { DocumentOptions } from '../config/document-options.ts'
import { exitCodeOf, exitCodes } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { kindOf } from '../versions.ts'
import { jobsOf, type SuiteJob } from './jobs.ts'
import { type PlannedJob, planText } from './plan-text.ts'
import { type Interruptible, interruptible, withServers } from './servers.ts'
import { session } from './study.ts'
import { isMeasured, writeSuite } from './suite.ts'

type SessionConfig = ConfigOf<'session'>

/** The options of `unikv bench session`. */
export interface SessionOptions extends DocumentOptions, ProgressOptions {
  readonly out: string
  readonly dryRun?: boolean
  readonly again?: boolean
  readonly allowNonEmpty?: boolean
}

/**
 * Run the jobs of a document one after the other, each with a result of its own, then write a page of them all. Returns the exit
 * code: that of the first job that did not go well.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a document that is wrong, before anything is started
 */
export async function runJobs(file: string, options: SessionOptions, terminal: Terminal): Promise<number> {
  const jobs = await jobsOf(file, options)
  const requests = jobs.map((job) => requestOf(job, options))
  if (options.dryRun === true) {
    const planned = jobs.map((job, at): PlannedJob => [job, (requests[at] as JobRequest).config])
    terminal.out(planText(planned, terminal.width))
    return exitCodes.ok
  }
  // The servers of the jobs belong to the command that has the folder: a second one must not stop them.
  const claim = await FolderClaim.take(options.out)
  try {
    return await runAll(jobs, requests, options, interruptible(terminal))
  } finally {
    await claim.release()
  }
}

async function runAll(
  jobs: readonly SuiteJob[],
  requests: readonly JobRequest[],
  { out, again = false }: SessionOptions,
  { terminal, signal }: Interruptible,
): Promise<number> {
  let code: number = exitCodes.ok
  for (const [at, request] of requests.entries()) {
    const job = jobs[at] as SuiteJob
    if (!again && (await isMeasured(out, job))) {
      terminal.error(
        `${job.folder}: measured already, see ${join(out, job.folder, 'report.html')} (--again measures it again)\n`,
      )
      continue
    }
    // In a suite each job has its page; the terminal gets the table of them all.
    const shown = jobs.length > 1 ? { ...terminal, out: () => {} } : terminal
    const ended = await runOne(job, request, { terminal: shown, signal })
    if (signal.aborted) return exitCodes.interrupted
    if (code === exitCodes.ok) code = ended
  }
  if (jobs.length > 1) terminal.out(await writeSuite(out, jobs, terminal.width))
  return code
}

/** The request of a job. */
interface JobRequest extends BenchRequest {
  readonly config: SessionConfig
}

function requestOf(job: SuiteJob, { out, allowNonEmpty = false, ...options }: SessionOptions): JobRequest {
  const config = configOf(job, allowNonEmpty)
  return {
    study: session,
    config,
    stores: [{ name: kindOf(job.url), url: job.url }],
    caches: [],
    readers: [],
    data: ['synthetic'],
    compressibility: undefined,
    out: join(out, job.folder),
    results: undefined,
    queue: job.queue,
    warnings: [],
    format: 'text',
    ...shownProgress(options),
  }
}

function configOf({ config: given, document, place }: SuiteJob, allowNonEmpty: boolean): SessionConfig {
  try {
    const config = studyConfig(session, { ...(given as object), document, allowNonEmpty })
    session.check({ config, stores: [], caches: [], points: [] })
    return config
  } catch (error) {
    if (isStoreError(error)) throw new StoreError(error.code, `${place}: ${error.message}`, { cause: error })
    throw error
  }
}

/**
 * Start the servers, measure, stop the servers, also of a job that is interrupted meanwhile. A job that fails leaves the others. A folder
 * that cannot take the result is refused before anything is started.
 */
async function runOne(job: SuiteJob, request: JobRequest, tools: Interruptible): Promise<number> {
  const { terminal } = tools
  terminal.error(`${job.folder}\n`)
  try {
    await checkResultFolder(request.study, request.out)
    return await withServers(job, tools, () => runBench(request, terminal))
  } catch (error) {
    if (!isStoreError(error)) throw error
    terminal.error(`unikv: ${job.folder}: ${error.message}\n`)
    return exitCodeOf(error)
  }
}
