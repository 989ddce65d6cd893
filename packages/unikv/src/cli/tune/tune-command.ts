import { StoreError } from '@unikv/core'
import type { Command } from 'commander'
import { collect } from '../option-values.ts'
import { formatOf } from '../output-format.ts'
import type { Terminal } from '../terminal.ts'
import type { LearnOptions } from './learn.ts'
import type * as TuneModule from './tune.ts'

type Tune = typeof TuneModule
type TuneOptions = TuneModule.TuneOptions

/** Add `unikv tune`: what tuners of programs propose, did and found, and the owner's answers. */
export function tuneCommand(command: Command, own: (command: Command) => Command, terminal: Terminal): void {
  const run = async (options: TuneOptions, what: (tune: Tune) => Promise<void>): Promise<void> => {
    formatOf(options)
    if (options.url !== undefined && (options.config !== undefined || options.keepIn !== undefined))
      throw new StoreError('INVALID_ARGUMENT', 'Choose --url, or --config with --keep-in, not both.')
    await what(await import('./tune.ts'))
  }
  placed(command)
    .description('show what tuners of programs watch and propose; they change nothing without a yes')
    .option('--interval <time>', 'time between two looks', '2s')
    .option('--once', 'look once, and end')
    .option('--dry-run', 'what would have been proposed in the past that the monitor keeps')
    .addHelpText(
      'after',
      `
Examples:
  unikv tune                     promises and proposals, live, of the configuration in this folder
  unikv tune explain 3f9a1c      why an index was proposed, and what would change the mind
  unikv tune approve 3f9a1c      let the program make it
  unikv tune history             all that was proposed, done, kept and taken back
  unikv tune --dry-run           what would you have done?`,
    )
    .action((options: TuneOptions) =>
      run(options, (tune) => (options.dryRun === true ? tune.dryRun : tune.live)(options, terminal)),
    )
  const answers = [
    ['approve', 'approved', 'let the program carry a proposal out'],
    ['reject', 'rejected', 'say no: it is not proposed again for a week, unless the load changes'],
    ['undo', 'undoing', 'take back what was done'],
  ] as const
  for (const [name, answer, description] of answers)
    placed(own(command.command(name)))
      .description(description)
      .argument('<id>', 'the name of an action, or how it begins')
      .action((id: string, _: TuneOptions, its: Command) =>
        run(its.optsWithGlobals(), (tune) => tune.answer(id, answer, its.optsWithGlobals(), terminal)),
      )
  pauseCommands(command, own, terminal, run)
  placed(own(command.command('explain')))
    .description(
      'why something was proposed, what else was weighed, what it did, and what would change the mind',
    )
    .argument('<id>', 'the name of an action, or how it begins')
    .action((id: string, _: TuneOptions, its: Command) =>
      run(its.optsWithGlobals(), (tune) => tune.explain(id, its.optsWithGlobals(), terminal)),
    )
  learnCommand(own(command.command('learn')), terminal)
  placed(own(command.command('history')))
    .description('all that was proposed, done, kept and taken back')
    .action((_: TuneOptions, its: Command) =>
      run(its.optsWithGlobals(), (tune) => tune.history(its.optsWithGlobals(), terminal)),
    )
}

function pauseCommands(
  command: Command,
  own: (command: Command) => Command,
  terminal: Terminal,
  run: (options: TuneOptions, what: (tune: Tune) => Promise<void>) => Promise<void>,
): void {
  placed(own(command.command('pause')))
    .description('leave a store alone: nothing is proposed, begun or measured during a migration or a repair')
    .argument('[store]', 'its name in the configuration; without one: all stores')
    .option('--for <time>', 'how long, at most 7 days', '1h')
    .option('--why <text>', 'shown by unikv tune')
    .action((store: string | undefined, _: TuneOptions, its: Command) =>
      run(its.optsWithGlobals(), (tune) => tune.pauseStore(store, its.optsWithGlobals(), terminal)),
    )
  placed(own(command.command('resume')))
    .description('end a pause')
    .argument('[store]', 'its name in the configuration; without one: all pauses')
    .action((store: string | undefined, _: TuneOptions, its: Command) =>
      run(its.optsWithGlobals(), (tune) => tune.resumeStore(store, its.optsWithGlobals(), terminal)),
    )
}

function learnCommand(command: Command, terminal: Terminal): void {
  command
    .description(
      'try caches, compression and tiers on stores, and keep which helped when, for a tuner to begin from',
    )
    .option(
      '--store <url>',
      'store to try them on (required, repeatable); its records stay as they are',
      collect,
    )
    .option('--out <file>', 'where the lessons are kept (required); the same command goes on from there')
    .option('--minutes <number>', 'about how long it takes, from 1 to 30', '30')
    .option('--json', 'print JSON')
    .option('--debug', 'show stack traces')
    .action(async (_: LearnOptions, its: Command) => {
      const { learn } = await import('./learn.ts')
      await learn(its.optsWithGlobals(), terminal)
    })
}

function placed(command: Command): Command {
  return command
    .option('--config <file>', 'configuration of the programs (default: unikv.config.* in this folder)')
    .option('--keep-in <name>', 'the store that keeps the log (default: where the monitor keeps its figures)')
    .option('--url <url>', 'the store that keeps the log, instead of a configuration')
    .option('--json', 'print JSON lines')
    .option('--debug', 'show stack traces')
}
