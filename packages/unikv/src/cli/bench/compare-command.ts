import type { Command } from 'commander'
import { numberIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

/** The options as commander gives them. */
export interface CompareCommandOptions {
  readonly minEffect: number
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
    .description('compare results of bench run or replay with the first one: what became faster or slower')
    .argument('<folders...>', 'result folders, their result.json, or URLs of results that a store keeps')
    .option('--min-effect <percent>', 'changes below this count as none', numberIn(0, 100), 3)
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
