import { runCommand } from '@unikv/bench'
import { shownText } from '@unikv/bench/studies/session'
import { StoreError } from '@unikv/core'
import { exitCodes } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import type { Interruptible } from './interruptible.ts'
import type { SuiteJob } from './jobs.ts'

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
  const shown = shownText(given)
  terminal.error(`${kind} servers: ${shown}\n`)
  const { problem, output } = await runCommand(given, { input: job.parameters, signal })
  if (problem === undefined || signal?.aborted === true) return
  const told = output === '' ? 'It printed nothing.' : `It printed: ${shownText(output)}`
  throw new StoreError(
    'UNAVAILABLE',
    `The command that should ${kind} the servers ${problem}: ${shown}. ${told}`,
  )
}
