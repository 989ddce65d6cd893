import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isStoreError, StoreError } from '@unikv/core'
import { type SessionConfig, session } from '@unikv/study-session'
import { runCommand, studyConfig } from '@unikv/workload'
import type { BenchRequest } from '../bench/bench-request.ts'
import { runBench } from '../bench/run-bench.ts'
import type { DocumentOptions } from '../config/document-options.ts'
import { exitCodes } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { kindOf } from '../versions.ts'
import { jobsOf, type SuiteJob } from './jobs.ts'
import { type PlannedJob, planText } from './plan-text.ts'
import { isMeasured, writeSuite } from './suite.ts'

/** The options of `unikv bench session`. */
export interface SessionOptions extends DocumentOptions {
  readonly out: string
  readonly dryRun?: boolean
  readonly again?: boolean
  readonly allowNonEmpty?: boolean
  readonly quiet?: boolean
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
  let code: number = exitCodes.ok
  for (const [at, request] of requests.entries()) {
    const job = jobs[at] as SuiteJob
    // In a suite each job has its page; the terminal gets the table of them all.
    const shown = jobs.length > 1 ? { ...terminal, out: () => {} } : terminal
    const ended = await runOne(job, request, options, shown)
    if (ended === exitCodes.interrupted) return ended
    if (code === exitCodes.ok) code = ended
  }
  if (jobs.length > 1) terminal.out(await writeSuite(options.out, jobs, terminal.width))
  return code
}

/** The request of a job. */
interface JobRequest extends BenchRequest {
  readonly config: SessionConfig
}

function requestOf(job: SuiteJob, { out, allowNonEmpty = false, quiet = false }: SessionOptions): JobRequest {
  const config = studyConfig(session, { ...(job.config as object), allowNonEmpty })
  session.check({ config, stores: [], caches: [], points: [] })
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
    queue: undefined,
    warnings: [],
    format: 'text',
    isQuiet: quiet,
  }
}

/** Start the servers, measure, stop the servers. A job that fails leaves the others. */
async function runOne(
  job: SuiteJob,
  request: JobRequest,
  { again = false }: SessionOptions,
  terminal: Terminal,
): Promise<number> {
  if (!again && (await isMeasured(request.out, job.document))) {
    terminal.error(`${job.folder}: measured already (--again measures it again)\n`)
    return exitCodes.ok
  }
  terminal.error(`${job.folder}\n`)
  try {
    await command('start', job, terminal)
    const code = await runBench(request, terminal)
    await writeFile(join(request.out, 'document.xml'), job.document).catch(() => {})
    return code
  } catch (error) {
    if (!isStoreError(error)) throw error
    terminal.error(`unikv: ${job.folder}: ${error.message}\n`)
    return exitCodes.failure
  } finally {
    await command('stop', job, terminal).catch((error: Error) => terminal.error(`unikv: ${error.message}\n`))
  }
}

/** Run a command of the job with its parameters. */
async function command(kind: 'start' | 'stop', job: SuiteJob, terminal: Terminal): Promise<void> {
  const given = job[kind]
  if (given === undefined) return
  terminal.error(`${kind} servers: ${given}\n`)
  const { problem, output } = await runCommand(given, { input: job.parameters })
  if (problem === undefined) return
  const told = output === '' ? 'It printed nothing.' : `It printed: ${output}`
  throw new StoreError(
    'UNAVAILABLE',
    `The command that should ${kind} the servers ${problem}: ${given}. ${told}`,
  )
}
