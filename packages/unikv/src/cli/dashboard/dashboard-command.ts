import { type Command, Option } from 'commander'
import { collect, wholeIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import type { DashboardCommandOptions } from './dashboard.ts'

/** Add `unikv dashboard`: a page that shows stores. */
export function dashboardCommand(command: Command, terminal: Terminal): void {
  command
    .description('show stores and results of benchmarks on a page')
    .argument(
      '[stores...]',
      'URLs, NAME=URL, folders with results, or nothing: all stores of the configuration',
    )
    .option('--config <file>', 'the configuration (default: unikv.config.* in this folder)')
    .addOption(
      new Option('--as <form>', 'what values of a URL are (default: bytes)').choices([
        'text',
        'json',
        'bytes',
      ]),
    )
    .option('--port <port>', 'where it listens', wholeIn(0, 65_535), 7710)
    .option('--host <address>', 'the address that it listens on', '127.0.0.1')
    .option('--hostname <name>', 'a further name by which it is reached, may be repeated', collect)
    .option('--token <secret>', 'what opens the page (default: UNIKV_TOKEN, or a new one that is printed)')
    .option('--writable', 'let records be changed')
    .option('--mcp', 'serve the tools of unikv mcp, too, at /mcp')
    .option('--debug', 'show stack traces')
    .addOption(new Option('--of-run', 'started by bench --dashboard').hideHelp())
    .addHelpText(
      'after',
      `
Examples:
  unikv dashboard                          all stores of the configuration in this folder
  unikv dashboard redis://127.0.0.1        one store by its URL
  unikv dashboard results/                 results of unikv bench
  unikv dashboard users=lmdb:./data --as json --writable`,
    )
    .action(async (stores: readonly string[], options: DashboardCommandOptions) => {
      const { showDashboard } = await import('./dashboard.ts')
      await showDashboard(stores, options, terminal)
    })
}
