import { parseSize } from '@unikv/bench/words'
import { type Command, Option } from 'commander'
import type { Terminal } from '../terminal.ts'

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
  command.description('create shared dictionaries that help to compress small, similar values')
  prepared(command.command('train'))
    .description('create a dictionary from samples, and measure its gain on held-out samples')
    .argument('<samples...>', 'files or folders; each file is one sample')
    .requiredOption('--out <file>', 'file for the dictionary; it must not exist yet')
    .option('--max-bytes <size>', 'largest size of the dictionary', '16Ki')
    .addOption(
      new Option('--algorithm <name>', 'algorithm to tune for and measure with')
        .choices(['deflate', 'zstd'])
        .default('deflate'),
    )
    .option('--lines', 'each line is one sample (log files, JSON lines)')
    .option('--debug', 'show stack traces')
    .action(async (paths: readonly string[], options: TrainCommandOptions) => {
      const { trainToFile } = await import('./dictionary.ts')
      out(
        await trainToFile({
          paths,
          out: options.out,
          maxBytes: parseSize(options.maxBytes),
          algorithm: options.algorithm,
          lines: options.lines === true,
        }),
      )
    })
}
