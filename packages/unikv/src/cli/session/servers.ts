import { runCommand } from '@unikv/bench'
import { StoreError } from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import { exitCodes } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import type { SuiteJob } from './jobs.ts'
import { session } from './study.ts'

/** A terminal, and the signal of its Ctrl-C. */
export interface Interruptible {
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** One signal for all jobs. The terminal also tells those who ask when Ctrl-C was pressed already: a job that begins then ends at once. */
export function interruptible(terminal: Terminal): Interruptible {
  const abort = new AbortController()
  const { signal } = abort
  // Not as listeners of the signal: a suite has many jobs, and Node.js takes many listeners for a leak.
  const asked: (() => void)[] = []
  terminal.onInterrupt(() => {
    abort.abort()
    for (const interrupted of asked.splice(0)) interrupted()
  })
  const onInterrupt = (interrupted: () => void): void => {
    if (signal.aborted) interrupted()
    else asked.push(interrupted)
  }
  return { terminal: { ...terminal, onInterrupt }, signal }
}

/**
 * Start the servers of a job, measure, and stop them, however that ended. Returns the exit code.
 *
 * @throws {StoreError} of the command that starts them, and of `measure`
 */
export async function withServers(
  job: SuiteJob,
  { terminal, signal }: Interruptible,
  measure: () => Promise<number>,
): Promise<number> {
  try {
    await commandServers('start', job, terminal, signal)
    if (!signal.aborted) return await measure()
    terminal.error('Interrupted while the servers were started; nothing was measured.\n')
    return exitCodes.interrupted
  } finally {
    await commandServers('stop', job, terminal).catch((error: Error) =>
      terminal.error(`unikv: ${job.folder}: ${error.message}\n`),
    )
  }
}

/**
 * Start or stop the servers of a job by its command, which gets the parameters of the job.
 *
 * @throws {StoreError} `UNAVAILABLE` with the end of the output, for a command that fails
 */
async function commandServers(
  kind: 'start' | 'stop',
  job: SuiteJob,
  terminal: Terminal,
  signal?: AbortSignal,
): Promise<void> {
  const given = job[kind]
  if (given === undefined) return
  const shown = session.shownText(given)
  terminal.error(`${kind} servers: ${shown}\n`)
  const { problem, output } = await runCommand(given, { input: job.parameters, signal })
  if (problem === undefined || signal?.aborted === true) return
  const told = output === '' ? 'It printed nothing.' : `It printed: ${session.shownText(output)}`
  throw new StoreError(
    'UNAVAILABLE',
    `The command that should ${kind} the servers ${problem}: ${shown}. ${told}`,
  )
}
