import { parseSize } from '@unikv/workload/data'
import { type Command, Option } from 'commander'
import { trainToFile } from './dictionary.ts'
import type { Terminal } from './terminal.ts'

interface TrainCommandOptions {
  readonly out: string
  readonly maxBytes: string
  readonly algorithm: 'deflate' | 'zstd'
  readonly lines?: true
}

/** Add `dictionary train`. `prepared` makes a command print to the terminal. */
export function dictionaryCommand(
  command: Command,
  prepared: (command: Command) => Command,
  { out }: Terminal,
): void {
  command.description('shared dictionaries, for the compression of small values that resemble each other')
  prepared(command.command('train'))
    .description('make a dictionary of samples, and measure on samples held out what it brings')
    .argument('<samples...>', 'files, or folders of files: each file is a sample')
    .requiredOption('--out <file>', 'the dictionary; a file that exists is refused')
    .option('--max-bytes <size>', 'longest dictionary', '16Ki')
    .addOption(
      new Option('--algorithm <name>', 'what it is tuned for and measured with')
        .choices(['deflate', 'zstd'])
        .default('deflate'),
    )
    .option('--lines', 'each line is a sample (log files, JSON lines)')
    .option('--debug', 'show stack traces')
    .action(async (paths: readonly string[], options: TrainCommandOptions) =>
      out(
        await trainToFile({
          paths,
          out: options.out,
          maxBytes: parseSize(options.maxBytes),
          algorithm: options.algorithm,
          lines: options.lines === true,
        }),
      ),
    )
}
