import { isStoreError } from '@unikv/core'
import { z } from 'zod'
import { invalidArgument } from '../options/invalid.ts'
import { coreOf, fieldsIn, type OptionFacts, type OptionField } from '../options/option.ts'
import type { AnyStudy } from './study.ts'

/** An option of a study, as a command line needs it. */
export interface Option {
  /** As a parsed command line has it, such as `valueSize`. */
  readonly name: string
  /** As it is written, such as `value-size`. */
  readonly flag: string
  /** `undefined`: a switch, which takes nothing. */
  readonly argument: string | undefined
  /** With the default. */
  readonly help: string
  /** The default as it would be written. */
  readonly preset: string | undefined
  /** Takes a number in this range; `undefined`: text. */
  readonly range: NumberRange | undefined
  /** May be given several times. */
  readonly isList: boolean
  /** Where it stands in what was given: in the configuration, or in its sources. */
  readonly path: readonly string[]
  readonly facts: OptionFacts
  /** The value of what was given; of each, if it may be given several times. */
  readonly read: (given: unknown) => unknown
}

/** The numbers that an option takes, both ends included. */
export interface NumberRange {
  readonly least: number
  readonly most: number
  readonly isWhole: boolean
}

/** The options of a study on the command line, in their order. */
export function optionsOf({ config, sources }: Pick<AnyStudy, 'config' | 'sources'>): readonly Option[] {
  const fields = [
    ...(sources === undefined ? [] : fieldsIn(sources, 'help', ['sources'])),
    ...fieldsIn(config, 'help', ['config']),
  ]
  return fields.filter(({ facts }) => facts.help !== undefined).map(optionOf)
}

function optionOf({ path, schema, facts }: OptionField): Option {
  const { flag = kebab(path.at(-1) as string), help = '' } = facts
  const preset = facts.preset === undefined ? presetOf(schema, facts) : (facts.preset ?? undefined)
  const core = coreOf(schema)
  const range = facts.parse === undefined ? rangeOf(core) : undefined
  const isSwitch = core instanceof z.ZodBoolean
  return {
    name: flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    flag,
    argument: isSwitch ? undefined : (facts.argument ?? argumentOf(core, flag)),
    help: `${help}${notes(preset, facts)}`,
    preset,
    range,
    isList: facts.isRepeatable === true || (facts.parse === undefined && core instanceof z.ZodArray),
    path,
    facts,
    read: naming(readerOf(core, facts), flag, facts),
  }
}

function notes(preset: string | undefined, { isRepeatable = false }: OptionFacts): string {
  const found = [
    ...(isRepeatable ? ['repeatable'] : []),
    ...(preset === undefined ? [] : [`default: ${preset}`]),
  ]
  return found.length === 0 ? '' : ` (${found.join('; ')})`
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The default of a field as it would be written. */
function presetOf(schema: z.core.$ZodType, { textOf }: OptionFacts): string | undefined {
  const { success, data } = z.safeParse(schema, undefined)
  if (!success || data === undefined || data === null || data === false) return undefined
  if (textOf !== undefined) return textOf(data)
  if (Array.isArray(data)) return data.length === 0 ? undefined : data.join(',')
  return typeof data === 'number' || typeof data === 'string' ? String(data) : undefined
}

function argumentOf(core: z.core.$ZodType, flag: string): string {
  if (core instanceof z.ZodEnum) return `<${core.options.join('|')}>`
  if (core instanceof z.ZodArray) return '<list>'
  return flag.endsWith('-ms') ? '<ms>' : '<n>'
}

/** If the alternatives are a number and a word, the command line takes the number. */
function rangeOf(core: z.core.$ZodType): NumberRange | undefined {
  const number = core instanceof z.ZodUnion ? core.options.find((one) => one instanceof z.ZodNumber) : core
  if (!(number instanceof z.ZodNumber)) return undefined
  const { minValue, maxValue, isInt } = number
  return {
    least: minValue ?? Number.MIN_SAFE_INTEGER,
    most: maxValue ?? Number.MAX_SAFE_INTEGER,
    isWhole: isInt,
  }
}

/** Errors of what was given name the option, once. */
function naming(
  read: Option['read'],
  flag: string,
  { letter = flag, isArgument }: OptionFacts,
): Option['read'] {
  const itsName = new RegExp(`(--|\\b)${flag.replaceAll('-', '[ -]')}\\b|(^| )-${letter} `, 'i')
  return (given) => {
    try {
      return read(given)
    } catch (error) {
      if (isArgument === true || !isStoreError(error) || itsName.test(error.message)) throw error
      throw invalidArgument(`--${flag}: ${error.message}`, error.cause)
    }
  }
}

function readerOf(core: z.core.$ZodType, { parse, isRepeatable = false }: OptionFacts): Option['read'] {
  if (parse !== undefined)
    return (given) => (isRepeatable ? (given as readonly string[]).map(parse) : parse(given as string))
  if (core instanceof z.ZodEnum) return (given) => oneOf(given, core.options)
  if (core instanceof z.ZodArray && core.element instanceof z.ZodEnum) {
    const { options } = core.element
    return (given) => listOf(given as readonly string[], options)
  }
  return (given) => given
}

function oneOf(given: unknown, words: readonly unknown[]): unknown {
  if (words.includes(given)) return given
  throw invalidArgument(`'${String(given)}' is not one of ${words.join(', ')}.`)
}

/** Names, each known and once. */
function listOf(given: readonly string[], known: readonly unknown[]): string[] {
  const names = given.flatMap((part) => part.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return [...new Set(names)]
  throw invalidArgument(`'${unknown}' is unknown; known are ${known.join(', ')}.`)
}
