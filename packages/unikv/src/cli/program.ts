import { isStoreError } from '@unikv/core'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { runBenchSizes } from './bench-sizes.ts'
import { type BenchSizesOptions, benchSizesRequest } from './bench-sizes-request.ts'
import { dictionaryCommand } from './dictionary-command.ts'
import { exitCodeOf, exitCodes } from './exit-code.ts'
import { storesCommand } from './stores-command.ts'
import type { Terminal } from './terminal.ts'
import { ownVersion } from './versions.ts'

/** The command line: parse, run, and turn whatever happens into an exit code and one clear sentence. */
export async function run(terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.ok
  const program = commands(terminal, async (options) => {
    exitCode = await runBenchSizes(benchSizesRequest(options), terminal)
  })
  try {
    await program.parseAsync(terminal.arguments, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.wrongUse
    terminal.error(`unikv: ${describe(error, terminal.arguments.includes('--debug'))}\n`)
    return exitCodeOf(error)
  }
}

type Run = (options: BenchSizesOptions) => Promise<void>

function commands(terminal: Terminal, runSizes: Run): Command {
  const program = prepared(new Command('unikv'), terminal)
    .description('Universal data-store SDK: measure and compare stores with your own data.')
    .version(ownVersion(), '-V, --version')
  const bench = prepared(program.command('bench'), terminal).description('measure stores')
  sizesCommand(prepared(bench.command('sizes'), terminal)).action(runSizes)
  const own = (command: Command): Command => prepared(command, terminal)
  storesCommand(own(program.command('stores')), own, terminal)
  dictionaryCommand(own(program.command('dictionary')), own, terminal)
  return program
}

function sizesCommand(command: Command): Command {
  return command
    .description(
      'read, write and delete latency by object size, reads through caches, encryption, compression',
    )
    .requiredOption('--store <[name=]url>', 'store to measure; may be repeated', collect)
    .option('--cache <[name=]url>', '"memory", or any store as a remote cache; may be repeated', collect)
    .option(
      '--sizes <sizes>',
      'list or range of bytes, such as 100,1K,10K or 1K..1M:2; "files": whole files',
      '100,1K,10K,100K,1M',
    )
    .option(
      '--data <source>',
      '"synthetic", a directory or file (may be repeated), or a module (default: synthetic)',
      collect,
    )
    .option('--compressibility <share>', 'of synthetic data, 0 to 1 (default: 0.5)', numberIn(0, 1))
    .option('--operations <n>', 'objects a run (default: 200, fewer above 100 KB)', wholeIn(1, 1_000_000))
    .option('--runs <n>', 'measured runs of each point', wholeIn(1, 1_000), 4)
    .option('--parallel <n>', 'calls in flight in the second series; 1 leaves it out', wholeIn(1, 10_000), 16)
    .option('--hit-rates <list>', 'per cent, for --cache', '0,25,50,75,100')
    .option('--measure-hit-rates', 'also measure each hit rate, with a cache driven to it')
    .option('--encryption <list>', 'aes-128-gcm, aes-256-gcm', collect)
    .option('--compression <list>', 'gzip, brotli, deflate, zstd, lz4, snappy', collect)
    .option('--seed <n>', 'of data and order', wholeIn(0, 0xffff_ffff), 42)
    .option('--timeout-ms <ms>', 'deadline of every call', wholeIn(1, 86_400_000), 5_000)
    .option('--allow-non-empty', 'run in a dataset that holds other records (they are not touched)')
    .option('--out <dir>', 'folder of the results', 'unikv-bench')
    .option('--debug', 'show stack traces')
}

/** Errors go to the terminal, and to `run` as an exception instead of ending the process. */
function prepared(command: Command, { out, error }: Terminal): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: error })
    .showSuggestionAfterError(true)
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

function wholeIn(min: number, max: number): (text: string) => number {
  const range = `It must be a whole number from ${min} to ${max}.`
  return (text) => checked(text, (value) => Number.isInteger(value) && value >= min && value <= max, range)
}

function numberIn(min: number, max: number): (text: string) => number {
  return (text) =>
    checked(text, (value) => value >= min && value <= max, `It must be a number from ${min} to ${max}.`)
}

function checked(text: string, isRight: (value: number) => boolean, rule: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (isRight(value)) return value
  throw new InvalidArgumentError(rule)
}

/** One sentence; with `--debug` the stack traces of the error and its causes. */
function describe(error: unknown, isDebug: boolean): string {
  if (!(error instanceof Error)) return String(error)
  if (!isDebug)
    return isStoreError(error) && error.store !== undefined
      ? `${error.store}: ${error.message}`
      : error.message
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause, true)}`
  return `${error.stack ?? error.message}${cause}`
}
