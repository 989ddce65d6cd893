import { invalidArgument } from '../options/invalid.ts'
import { fieldsIn, type OptionFacts } from '../options/option.ts'
import { type Option, optionsOf } from './options-of.ts'
import type { AnyStudy } from './study.ts'
import { type StudyConfig, studyConfig } from './study-config.ts'

/** A configuration that was made from options. */
export interface ConfiguredStudy {
  readonly config: StudyConfig
  /** Sentences for the user about options that do not apply. */
  readonly warnings: readonly string[]
}

/**
 * The configuration of a study from options by name, as the command line has them.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `INVALID_CONFIG` with the option that is wrong, or would be ignored
 */
export async function configured(
  study: AnyStudy,
  texts: Readonly<Record<string, unknown>>,
): Promise<ConfiguredStudy> {
  const given = optionsOf(study).filter(({ name }) => texts[name] !== undefined)
  return configuredBy(study, Object.fromEntries(given.map(({ name, read }) => [name, read(texts[name])])))
}

/** The same from the values of the texts. */
export async function configuredBy(
  study: AnyStudy,
  values: Readonly<Record<string, unknown>>,
): Promise<ConfiguredStudy> {
  const options = optionsOf(study).filter(({ name }) => values[name] !== undefined)
  const given: Given = { config: {}, sources: {} }
  for (const { name, path } of options) put(given, path, values[name])
  const { config: input, warnings } = (await study.configure?.(given.config, given.sources)) ?? {
    config: given.config,
    warnings: [],
  }
  const config = studyConfig(study, input, (path) => {
    const own = options.find((one) => one.path.join('.') === `config.${path}`)
    return own === undefined ? path : `--${own.flag}`
  })
  refuseIdle(options, config)
  return { config, warnings }
}

/**
 * The facts of a configuration in which results must agree to be compared, by words for them. An option that would be ignored is
 * `null`.
 */
export function alikeIn(
  { config: schema }: Pick<AnyStudy, 'config'>,
  config: object,
): Readonly<Record<string, unknown>> {
  const facts: Record<string, unknown> = {}
  for (const { path, facts: own } of fieldsIn(schema, 'alike')) {
    const { alike = path.join('.'), agreeing = itself } = own
    if (alike !== null)
      facts[alike] = idleIn(own, config) === undefined ? agreeing(valueAt(config, path)) : null
  }
  return facts
}

interface Given {
  readonly config: Record<string, unknown>
  readonly sources: Record<string, unknown>
}

function put(into: object, [name = '', ...below]: readonly string[], value: unknown): void {
  const fields = into as Record<string, unknown>
  if (below.length === 0) fields[name] = value
  else put((fields[name] ??= {}), below, value)
}

function refuseIdle(given: readonly Option[], config: object): void {
  for (const { flag, facts } of given) {
    const found = idleIn(facts, config)
    if (found !== undefined) throw invalidArgument(`--${flag} ${found.why}`)
  }
}

function idleIn({ idle = [] }: OptionFacts, config: object): { readonly why: string } | undefined {
  return idle.find(({ when }) => when(config))
}

function valueAt(config: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], config)
}

function itself(value: unknown): unknown {
  return value
}

/** The options of a study as a table in Markdown. */
export function optionTable(study: Pick<AnyStudy, 'config' | 'sources'>): string {
  const rows = optionsOf(study).map(
    (option) => `| ${nameIn(option)} | ${code(option.preset)} | ${meaningOf(option)} |`,
  )
  return ['| Option | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function nameIn({ flag, argument = '', facts: { letter, isArgument } }: Option): string {
  const names = [...(letter === undefined ? [] : [`-${letter}`]), `--${flag}`]
  const text = isArgument === true ? argument : `${names.join(', ')} ${argument}`.trim()
  return `\`${text.replaceAll('|', '\\|')}\``
}

function code(preset: string | undefined): string {
  return preset === undefined ? '' : preset.includes(' ') ? preset : `\`${preset}\``
}

function meaningOf({ facts: { help = '', isRepeatable = false, guide } }: Option): string {
  const text = `${help}${isRepeatable ? ' (repeatable)' : ''}`
  return guide === undefined ? text : `${text}. ${guide}`
}
