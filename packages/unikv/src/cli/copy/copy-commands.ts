import type { Command } from 'commander'
import { numberIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import type { CopyOptions } from './copy.ts'

const storeArgument = 'URL of a store, or its name in unikv.config.*'
const mostRate = 1_000_000_000

/** Add `copy`. `own` makes a command print to the terminal; `finish` sets the exit code. */
export function copyCommands(
  program: Command,
  own: (command: Command) => Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  filling(own(program.command('copy')))
    .description('copy all records of a store into another, as they are stored, and compare them')
    .argument('<from>', storeArgument)
    .argument('<to>', storeArgument)
    .addHelpText(
      'after',
      examples(
        'unikv copy redis://127.0.0.1 postgres://me@db/app',
        'unikv copy sessions archive --rate 5000',
        'unikv copy sessions archive --resume',
      ),
    )
    .action(async (from: string, to: string, options: CopyOptions) => {
      const { copyStores } = await import('./copy.ts')
      finish(await copyStores(from, to, options, terminal))
    })
}

/** Options of commands that fill a store. */
function filling(command: Command): Command {
  return common(command)
    .option('--overwrite', 'write into a store that has records: equal keys are replaced, others stay')
    .option('--resume', 'go on where the same command was stopped')
    .option('--drop-expiry', 'into a store whose records cannot expire: keep them for ever')
    .option('--no-verify', 'do not read the target again to compare')
}

function common(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'the configuration that has the names (default: unikv.config.* in this folder)',
    )
    .option('--namespace <name>', 'only the records of this namespace')
    .option('--rate <n>', 'at most so many records a second', numberIn(0.1, mostRate))
    .option('--json', 'print the report as JSON')
    .option('--debug', 'show stack traces')
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
