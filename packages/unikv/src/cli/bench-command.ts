import type { Command } from 'commander'
import type { BenchDeltasOptions } from './bench-deltas-request.ts'
import type { BenchSizesOptions } from './bench-sizes-request.ts'
import { collect, numberIn, wholeIn } from './option-values.ts'

/** What the commands below `bench` do. */
export interface BenchRuns {
  readonly sizes: (options: BenchSizesOptions) => Promise<void>
  readonly deltas: (options: BenchDeltasOptions) => Promise<void>
}

/** Add `bench sizes` and `bench deltas`. `prepared` makes a command print to the terminal. */
export function benchCommand(
  command: Command,
  prepared: (command: Command) => Command,
  { sizes, deltas }: BenchRuns,
): void {
  command.description('measure stores')
  sizesCommand(prepared(command.command('sizes'))).action(sizes)
  deltasCommand(prepared(command.command('deltas'))).action(deltas)
}

function deltasCommand(command: Command): Command {
  const described = command.description(
    'updates and reads with and without deltas, by object size and kind of edit, and whether to use deltas',
  )
  return common(described, '2K,10K,100K')
    .option('--edits <list>', 'append, scattered, moves, random (default: all)', collect)
    .option('--shares <list>', 'per cent of a value that an update changes', '1,10')
    .option('--updates <n>', 'of a key in a run', wholeIn(2, 10_000), 66)
    .option('--keys <n>', 'updated in a run (default: 5, fewer above 60 KB)', wholeIn(1, 10_000))
    .option('--runs <n>', 'measured runs of each point', wholeIn(1, 1_000), 5)
    .option('--reads <n>', 'reads for each update, for the recommendation', numberIn(0, 1e6), 1)
    .option('--known-reads <n>', 'per cent of reads by processes that know the value', numberIn(0, 100), 0)
    .option('--mbits <n>', 'recommend for a network of this speed', numberIn(0.001, 1e6))
    .option('--round-trip-ms <ms>', 'recommend for a store that is so much further away', numberIn(0, 1e5), 0)
    .option('--max-deltas <n>', 'longest chain, as the option of the layer', wholeIn(1, 1_024), 32)
}

function sizesCommand(command: Command): Command {
  const described = command.description(
    'read, write and delete latency by object size, reads through caches, encryption, compression',
  )
  return common(described, '100,1K,10K,100K,1M')
    .option('--cache <[name=]url>', '"memory", or any store as a remote cache; may be repeated', collect)
    .option('--operations <n>', 'objects a run (default: 200, fewer above 100 KB)', wholeIn(1, 1_000_000))
    .option('--runs <n>', 'measured runs of each point', wholeIn(1, 1_000), 4)
    .option('--parallel <n>', 'calls in flight in the second series; 1 leaves it out', wholeIn(1, 10_000), 16)
    .option('--hit-rates <list>', 'per cent, for --cache (default: 0,25,50,75,100)')
    .option('--measure-hit-rates', 'also measure each hit rate, with a cache driven to it')
    .option('--encryption <list>', 'aes-128-gcm, aes-256-gcm, chacha20-poly1305', collect)
    .option('--compression <list>', 'gzip, brotli, deflate, zstd, lz4, snappy', collect)
    .option('--out <dir>', 'folder of the results', 'unikv-bench')
}

/** What all measurements take. */
function common(command: Command, sizes: string): Command {
  return command
    .option('--store <[name=]url>', 'store to measure (required); may be repeated', collect)
    .option(
      '--sizes <sizes>',
      'list or range of bytes, such as 100,1K,10K or 1K..1M:2; "files": whole files',
      sizes,
    )
    .option(
      '--data <source>',
      '"synthetic", a directory or file (may be repeated), or a module (default: synthetic)',
      collect,
    )
    .option('--compressibility <share>', 'of synthetic data, 0 to 1 (default: 0.5)', numberIn(0, 1))
    .option('--seed <n>', 'of data and order', wholeIn(0, 0xffff_ffff), 42)
    .option('--timeout-ms <ms>', 'deadline of every call', wholeIn(1, 86_400_000), 5_000)
    .option('--allow-non-empty', 'run in a dataset that holds other records (they are not touched)')
    .option('--json', 'print the whole result as JSON')
    .option('--markdown', 'print the tables as Markdown')
    .option('--quiet', 'show no progress')
    .option('--debug', 'show stack traces')
}
