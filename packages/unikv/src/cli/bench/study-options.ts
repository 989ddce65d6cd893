import type { AnyStudy, TextForm } from '@unikv/bench'
import type { Command } from 'commander'
import { collect, numberIn, wholeIn } from '../option-values.ts'
import { type Field, fieldsOf } from './fields.ts'

/** Add an option, or the argument, for each field of a study's configuration. */
export function addStudyOptions(command: Command, study: AnyStudy): void {
  for (const field of fieldsOf(study)) {
    const form = study.texts?.[field.name]
    if (field.name === study.argument) command.argument(form?.argument ?? `<${field.flag}>`, field.help)
    else addOption(command, field, form)
  }
}

function addOption(command: Command, field: Field, form: TextForm | undefined): void {
  const { flag, schema, help } = field
  if (form !== undefined) addText(command, field, form)
  else if (schema.type === 'boolean') command.option(`--${flag}`, help)
  else if (schema.type === 'array') command.option(`--${flag} <list>`, help, collect)
  else command.option(`--${flag} ${argumentOf(flag)}`, help, numberOf(field), defaultOf(field))
}

function addText(command: Command, { flag, help }: Field, form: TextForm): void {
  const flags = `${form.letter === undefined ? '' : `-${form.letter}, `}--${flag} ${form.argument}`
  if (form.isRepeatable === true) command.option(flags, help, collect)
  else command.option(flags, help, form.default)
}

function argumentOf(flag: string): string {
  return flag.endsWith('-ms') ? '<ms>' : '<n>'
}

function numberOf({ schema }: Field): (text: string) => number {
  const { exclusiveMinimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  const { minimum = exclusiveMinimum } = schema
  return schema.type === 'integer' ? wholeIn(minimum, maximum) : numberIn(minimum, maximum)
}

/** A default that is not a number is in the help text. */
function defaultOf({ default: value }: Field): number | undefined {
  return typeof value === 'number' ? value : undefined
}
