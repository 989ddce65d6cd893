import type { Command } from 'commander'
import { collect } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

/** The options as commander gives them. */
export interface WorkerCommandOptions {
  readonly queue?: string
  readonly store?: readonly string[]
  readonly name?: string
  readonly once?: boolean
  readonly idle?: string
}

/** Add `bench worker`. `finish` takes the exit code. */
export function workerCommand(
  command: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  command
    .description('take a share of runs that bench run --queue --workers starts, until Ctrl-C')
    .option(
      '--queue <url>',
      'Redis or Valkey where the work comes from, such as redis://127.0.0.1 (required)',
    )
    .option(
      '--store <[name=]url>',
      'URL of a store of the run, by its name there; needed if it holds a password, which does not travel (repeatable)',
      collect,
    )
    .option('--name <name>', 'appears in messages and results (default: host and process id)')
    .option('--once', 'end after the first run')
    .option('--idle <time>', 'end after so long without work, such as 10m')
    .option('--debug', 'show stack traces')
    .action(async (options: WorkerCommandOptions) => {
      const { runWorker } = await import('./run-worker.ts')
      finish(await runWorker(options, terminal))
    })
}
