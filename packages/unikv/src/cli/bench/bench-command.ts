import type { AnyStudy } from '@unikv/bench'
import { studies } from '@unikv/bench/studies'
import type { Command } from 'commander'
import { collect, numberIn, wholeIn } from '../option-values.ts'
import type { BenchOptions } from './bench-request.ts'
import { addProgressOptions } from './progress/progress-options.ts'

/**
 * Add a command below `bench` for each study. `prepared` makes a command print to the terminal. Those that are not asked for have no
 * options, as nothing of them is loaded.
 */
export async function benchCommand(
  command: Command,
  prepared: (command: Command) => Command,
  run: (study: AnyStudy, options: BenchOptions) => Promise<void>,
  isAskedFor: (name: string) => boolean,
): Promise<void> {
  for (const { name, summary, load } of studies) {
    const own = prepared(command.command(name)).description(summary)
    if (!isAskedFor(name)) continue
    const { addStudyOptions } = await import('./study-options.ts')
    const study = await load()
    own.option(
      '--store <[name=]url>',
      'store to measure, or a module that exports yours, such as ./my-store.ts (required, repeatable)',
      collect,
    )
    if (study.takesCaches === true)
      own.option(
        '--cache <[name=]url>',
        '"memory", any store as a remote cache, or "none" (repeatable; default: one in this process)',
        collect,
      )
    if (study.takesReaders === true)
      own.option(
        '--read-from <[name=]url>',
        'further place where the store can be read, such as a replica (repeatable)',
        collect,
      )
    const names = addStudyOptions(own, study)
    if (own.options.some(({ long }) => long === '--workers')) queueOptions(own)
    if (study.examples !== undefined) own.addHelpText('after', examplesText(study.name, study.examples))
    // Commander hands arguments over before the options.
    common(own, study).action((...given: unknown[]) =>
      run(study, { ...own.opts(), ...Object.fromEntries(names.map((name, index) => [name, given[index]])) }),
    )
  }
}

function examplesText(name: string, examples: readonly string[]): string {
  const lines = examples.map((one) => `  $ npx unikv bench ${name} ${one}`)
  return `\nExamples:\n${lines.join('\n')}`
}

/** Options of studies that workers elsewhere can share. */
function queueOptions(command: Command): void {
  command
    .option('--queue <url>', 'with --workers: Redis or Valkey where they wait, such as redis://127.0.0.1')
    .option('--wait <time>', 'with --workers: the longest wait for them (default: 1m)')
}

/** Options of studies with runs: each turn has as many. */
function turnOptions(command: Command): void {
  command
    .option(
      '--against <baseline>',
      'measure a baseline in turn, and compare: a command in quotes, a result folder, or the URL of a kept result',
    )
    .option('--turns <n>', 'with --against: so many times each (default: 10)', wholeIn(3, 1_000))
    .option('--fail-on-regression', 'with --against: exit with 3 if something became slower')
}

/** Options of all studies. */
function common(command: Command, study: AnyStudy): Command {
  const own = command
    .option(
      '--data <source>',
      '"synthetic", a directory or file (repeatable), or a module (default: synthetic)',
      collect,
    )
    .option(
      '--compressibility <share>',
      'compressibility of synthetic data, 0 to 1 (default: 0.5)',
      numberIn(0, 1),
    )
    .option('--config <file>', 'YAML or JSON file with these options by name; the command line wins')
    .option('--out <dir>', 'folder for the results', `unikv-bench-${study.name}`)
    .option('--results <url>', 'store that keeps the result, too, such as redis://127.0.0.1#baseline')
  if (own.options.some(({ long }) => long === '--runs')) turnOptions(own)
  own
    .option('--format <name>', formatHelp(study))
    .option('--json', 'print the full result as JSON')
    .option('--markdown', 'print the tables as Markdown')
  own.option(
    '--dashboard [port]',
    'show the run on a page while it goes on (default: port 7710)',
    wholeIn(0, 65_535),
  )
  return addProgressOptions(own).option('--debug', 'show stack traces')
}

function formatHelp({ report }: AnyStudy): string {
  return `print the result as ${['text', 'json', 'markdown', ...(report.formats ?? [])].join(', ')} (default: text)`
}
