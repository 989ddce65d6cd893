import { StoreError } from '@unikv/core'
import { type Command, Option } from 'commander'
import { formatOf } from '../output-format.ts'
import type { Terminal } from '../terminal.ts'

/** Options of `unikv monitor`. */
export interface MonitorCommandOptions {
  readonly config?: string
  readonly url?: string
  readonly store?: string
  readonly operation?: string
  readonly interval: string
  readonly once?: true
  readonly history?: 'minute' | 'hour' | 'day'
  readonly from?: string
  readonly to?: string
  readonly json?: true
}

/** Add `unikv monitor`: the figures that programs keep in a store, live or of the past. */
export function monitorCommand(command: Command, terminal: Terminal): void {
  command
    .description('show what programs that keep the figures of their monitor do now, or did before')
    .option('--config <file>', 'configuration of the programs (default: unikv.config.* in this folder)')
    .option('--url <url>', 'the store in which the figures are kept, instead of a configuration')
    .option('--store <name>', 'only this store')
    .option('--operation <name>', 'only this operation, such as read')
    .option('--interval <time>', 'time between two looks', '2s')
    .option('--once', 'look once, and end')
    .addOption(
      new Option('--history <resolution>', 'the past instead, by period').choices(['minute', 'hour', 'day']),
    )
    .option('--from <date>', 'beginning of the past that is shown, such as 2026-11-26T10:00Z')
    .option('--to <date>', 'its end')
    .option('--json', 'print JSON lines')
    .option('--debug', 'show stack traces')
    .addHelpText(
      'after',
      `
Examples:
  unikv monitor                                     live, of the configuration in this folder
  unikv monitor --url redis://127.0.0.1 --once      one look at what is kept there
  unikv monitor --history hour --store users        the past of one store by hour`,
    )
    .action(async (options: MonitorCommandOptions) => {
      formatOf(options)
      checkTogether(options)
      const { watch } = await import('./watch.ts')
      await watch(options, terminal)
    })
}

function checkTogether({ config, url, history, from, to, once }: MonitorCommandOptions): void {
  if (config !== undefined && url !== undefined)
    throw new StoreError('INVALID_ARGUMENT', 'Choose --config or --url, not both.')
  if (history === undefined && (from !== undefined || to !== undefined))
    throw new StoreError('INVALID_ARGUMENT', '--from and --to belong to --history.')
  if (history !== undefined && once === true)
    throw new StoreError('INVALID_ARGUMENT', '--once is for the live view: --history looks once anyway.')
}
