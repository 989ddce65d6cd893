import type { Command } from 'commander'

/** A command that can be completed. */
export interface CompletedCommand {
  /** Names from the program on, such as `['bench', 'run']`; empty for the program itself. */
  readonly path: readonly string[]
  readonly description: string
  readonly subcommands: readonly string[]
  /** The values that its arguments may have, as far as they are known. */
  readonly values: readonly string[]
  readonly options: readonly CompletedOption[]
}

/** An option that can be completed. */
export interface CompletedOption {
  /** Such as `--store`. */
  readonly name: string
  readonly description: string
  /** Whether something follows it. */
  readonly takesValue: boolean
  /** The values that it may have, as far as they are known. */
  readonly choices: readonly string[]
}

/** All commands of a program, each before those below it. */
export function commandTree(program: Command, path: readonly string[] = []): readonly CompletedCommand[] {
  const below = program.commands.filter((command) => command.name() !== 'help')
  const own: CompletedCommand = {
    path,
    description: program.description(),
    subcommands: below.map((command) => command.name()),
    values: program.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    options: program.options.flatMap(({ long, description, required, optional, argChoices = [] }) =>
      long == null
        ? []
        : [{ name: long, description, takesValue: required || optional, choices: argChoices }],
    ),
  }
  return [own, ...below.flatMap((command) => commandTree(command, [...path, command.name()]))]
}
