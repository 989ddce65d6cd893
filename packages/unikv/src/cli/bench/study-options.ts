import { type AnyStudy, type Option, optionsOf } from '@unikv/bench'
import type { Command } from 'commander'
import { collect, json, numberIn, wholeIn } from '../option-values.ts'

/** Add the options of a study, and its arguments. Returns the names of these. */
export function addStudyOptions(command: Command, study: AnyStudy): readonly string[] {
  const isArgument = ({ facts }: Option): boolean => facts.isArgument === true
  const options = optionsOf(study)
  for (const option of options) {
    if (isArgument(option)) command.argument(option.argument ?? '', option.help)
    else addOption(command, option)
  }
  return options.filter(isArgument).map(({ name }) => name)
}

function addOption(command: Command, { flag, argument, help, range, isList, facts }: Option): void {
  const { letter, takesJson = false } = facts
  const flags = `${letter === undefined ? '' : `-${letter}, `}--${flag}`
  if (argument === undefined) command.option(flags, help)
  else if (range !== undefined)
    command.option(
      `${flags} ${argument}`,
      help,
      (range.isWhole ? wholeIn : numberIn)(range.least, range.most),
    )
  else if (isList) command.option(`${flags} ${argument}`, help, collect)
  else if (takesJson) command.option(`${flags} ${argument}`, help, json)
  else command.option(`${flags} ${argument}`, help)
}
