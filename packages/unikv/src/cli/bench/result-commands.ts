import type { Command } from 'commander'
import { numberIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

/** The options as commander gives them. */
export interface CompareCommandOptions {
  readonly minEffect: number
  readonly between: number
  readonly inTurn?: boolean
  readonly history?: boolean
  readonly failOnRegression?: boolean
  readonly force?: boolean
  readonly json?: boolean
  readonly markdown?: boolean
}

/** Add `bench compare`. `finish` takes the exit code. */
export function compareCommand(
  command: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  command
    .description('compare results with the first one, or two sides: what became faster or slower')
    .argument(
      '<folders...>',
      'result folders, their result.json, or URLs of results that a store keeps; A1 A2 -- B1 B2: two sides',
    )
    .option('--min-effect <percent>', 'changes below this count as none', numberIn(0, 100), 3)
    .option(
      '--between <percent>',
      'of two results: how much invocations of the same thing differ here; 0: as much as their runs',
      numberIn(0, 1000),
      25,
    )
    .option('--history', 'the results are one history: find the points in time at which something changed')
    .option(
      '--in-turn',
      'of two sides: A1 and B1, A2 and B2, … were measured in turn, and are compared in pairs',
    )
    .option(
      '--fail-on-regression',
      'exit with 3 if something became slower, with 4 if the results cannot tell',
    )
    .option('--force', 'compare what was not measured alike')
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown')
    .option('--debug', 'show stack traces')
    .action(async (folders: readonly string[], options: CompareCommandOptions) => {
      const { compareFolders } = await import('./compare-folders.ts')
      finish(await compareFolders(folders, options, terminal))
    })
}

/** Add `bench report`: pages and columns of results, made again from their `result.json`. */
export function reportCommand(command: Command, terminal: Terminal): void {
  command
    .description('make the pages and columns of results again, or with --out one page of several')
    .argument('<folders...>', 'result folders; with --out also URLs of results that stores keep')
    .option('--out <dir>', 'folder for one page of several results, or for that of one that a store keeps')
    .option('--debug', 'show stack traces')
    .action(async (places: readonly string[], options: { readonly out?: string }) => {
      const { reportFolders } = await import('./report-folders.ts')
      await reportFolders(places, options.out, terminal)
    })
}
