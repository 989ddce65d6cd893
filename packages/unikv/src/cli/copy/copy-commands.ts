import { type Command, Option } from 'commander'
import { numberIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import type { CopyOptions } from './copy.ts'
import type { RestoreOptions, SnapshotOptions } from './snapshot.ts'

const storeArgument = 'URL of a store, or its name in unikv.config.*'
const keyFile = 'holds the key: 32 random bytes, or these in hexadecimal or base64 (openssl rand -base64 32)'
const keyEnv = 'holds the key in hexadecimal or base64'
const mostRate = 1_000_000_000

/** Add `copy`, `snapshot` and `restore`. `own` makes a command print to the terminal; `finish` sets the exit code. */
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
    .option('--namespace <name>', 'only the records of this namespace')
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
  snapshotCommand(own(program.command('snapshot')), terminal, finish)
  restoreCommand(own(program.command('restore')), terminal, finish)
}

function snapshotCommand(command: Command, terminal: Terminal, finish: (exitCode: number) => void): void {
  common(command)
    .description('write all records of a store into one portable file')
    .argument('<store>', storeArgument)
    .argument('<file>', 'a new file; - for standard output')
    .option('--namespace <name>', 'only the records of this namespace')
    .option('--key-file <file>', `encrypt the snapshot; the file ${keyFile}`)
    .option('--key-env <name>', `encrypt the snapshot; this environment variable ${keyEnv}`)
    .addOption(
      new Option('--compression <algorithm>', 'default: gzip, with a key none').choices([
        'gzip',
        'brotli',
        'zstd',
        'none',
      ]),
    )
    .option('--overwrite', 'replace a file that is there')
    .addHelpText(
      'after',
      examples(
        'unikv snapshot users users.snapshot',
        'unikv snapshot redis://127.0.0.1 users.snapshot --key-file ./backup.key',
        'unikv snapshot users - | ssh backup "cat > users.snapshot"',
      ),
    )
    .action(async (store: string, file: string, options: SnapshotOptions) => {
      const { snapshotStore } = await import('./snapshot.ts')
      finish(await snapshotStore(store, file, options, terminal))
    })
}

function restoreCommand(command: Command, terminal: Terminal, finish: (exitCode: number) => void): void {
  filling(command)
    .description('verify a snapshot, and write its records into a store')
    .argument('<file>', 'a snapshot; - for standard input')
    .argument('<store>', storeArgument)
    .option('--key-file <file>', `for an encrypted snapshot; the file ${keyFile}`)
    .option('--key-env <name>', `for an encrypted snapshot; this environment variable ${keyEnv}`)
    .addHelpText(
      'after',
      examples(
        'unikv restore users.snapshot users',
        'unikv restore users.snapshot postgres://me@db/app --key-file ./backup.key',
        'unikv restore users.snapshot users --resume',
      ),
    )
    .action(async (file: string, store: string, options: RestoreOptions) => {
      const { restoreStore } = await import('./snapshot.ts')
      finish(await restoreStore(file, store, options, terminal))
    })
}

/** Options of commands that fill a store. */
function filling(command: Command): Command {
  return common(command, 'at most so many records a second, also in comparing')
    .option('--overwrite', 'write into a store that has records: equal keys are replaced, others stay')
    .option('--resume', 'go on where the same command was stopped')
    .option('--drop-expiry', 'keep records for ever that expire in the source')
    .option('--no-verify', 'do not read the target again to compare')
}

function common(command: Command, rate = 'at most so many records a second'): Command {
  return command
    .option(
      '--config <file>',
      'the configuration that has the names (default: unikv.config.* in this folder)',
    )
    .option('--rate <n>', rate, numberIn(0.1, mostRate))
    .option('--allow-empty', 'a source without records is right, and no mistake')
    .option('--json', 'print the report as JSON')
    .option('--debug', 'show stack traces')
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
