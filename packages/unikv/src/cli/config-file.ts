import { StoreError } from '@unikv/core'
import { readWhole } from '@unikv/core/files'
import { isPlainObject } from '@unikv/core/platform'

/** Options whose values have names, as in `--store main=redis://127.0.0.1`. */
const named = new Set(['store', 'cache'])

/**
 * Arguments with the options of `--config FILE` in its place: a YAML or JSON file that holds them by name. Options of the
 * command line win.
 *
 * @param takesJson whether an option takes objects, as JSON
 * @throws {StoreError} `INVALID_ARGUMENT` if the file cannot be read, or holds something else
 */
export async function withConfigFile(
  args: readonly string[],
  takesJson: (option: string) => boolean,
): Promise<WithFile> {
  const at = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='))
  if (at < 0) return { args, named: itself }
  const isSeparate = args[at] === '--config'
  const file = isSeparate ? args[at + 1] : (args[at] as string).slice('--config='.length)
  if (file === undefined) return { args, named: itself }
  const rest = [args.slice(0, at), args.slice(at + (isSeparate ? 2 : 1))] as const
  if (rest.flat().some((arg) => arg === '--config' || arg.startsWith('--config=')))
    throw wrong('--config was given twice, but takes one file.')
  const given = new Set(rest.flat().flatMap((arg) => /^--([^=]+)/.exec(arg)?.[1] ?? []))
  const own = Object.entries(await optionsIn(file)).flatMap(([name, value]) => {
    const option = kebab(name)
    if (option === 'config')
      throw wrong(`${file} names another configuration file. Put all options into one.`)
    if (given.has(option)) return []
    if (takesJson(option) && typeof value === 'object') return [`--${option}=${JSON.stringify(value)}`]
    return argumentsOf(option, value, file)
  })
  return { args: placed(rest.flat(), own), named: (text) => namedIn(text, own, file) }
}

/** Arguments with those of the file, and what names the file in messages about one of them. */
export interface WithFile {
  readonly args: readonly string[]
  readonly named: (text: string) => string
}

function itself(text: string): string {
  return text
}

/** A message of the parser about an option that stands in the file: there it is a name without dashes. */
function namedIn(text: string, own: readonly string[], file: string): string {
  return text.replace(/'--([\w-]+)[^']*'( argument(?: missing)?)?/g, (whole, name: string, rest?: string) => {
    const found = own.find((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
    if (found === undefined) return whole
    if (/=(yes|no|on|off)$/.test(found) && text.includes('unknown option'))
      return `'${name}' in ${file}, or one that takes no value: write true or false`
    return `'${name}' in ${file}${rest === undefined ? '' : rest.endsWith('missing') ? ' needs a value' : ':'}`
  })
}

/**
 * Options of the file before those of the command line, as the later one of several values wins. Those without a value come
 * last: before another one they would take it for theirs.
 */
function placed(args: readonly string[], own: readonly string[]): readonly string[] {
  const first = args.findIndex((arg) => arg.startsWith('-'))
  const at = first < 0 ? args.length : first
  const values = own.filter((arg) => arg.includes('='))
  return [...args.slice(0, at), ...values, ...args.slice(at), ...own.filter((arg) => !arg.includes('='))]
}

async function optionsIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readWhole(file).catch((cause: NodeJS.ErrnoException) => {
    throw wrong(`The configuration file ${file} cannot be read (${cause.code}).`, cause)
  })
  const text = bytes.toString('utf8')
  const { parse } = await import('yaml')
  let found: unknown
  try {
    found = parse(text)
  } catch (cause) {
    throw wrong(
      `The configuration file ${file} is not YAML or JSON: ${firstLine(cause)}${hintOf(text)}`,
      cause,
    )
  }
  if (isPlainObject(found)) return found
  throw wrong(`The configuration file ${file} must hold options by name, such as preset: b.`)
}

/** An option as on the command line: once for each value of a list, and for each name of a store. */
function argumentsOf(option: string, value: unknown, file: string): readonly string[] {
  if (value === true) return [`--${option}`]
  if (value === false || value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((one) => argumentsOf(option, one, file))
  if (!isPlainObject(value)) return [`--${option}=${textOf(option, value, file)}`]
  const pairs = Object.entries(value).map(([name, one]) => `${name}=${textOf(option, one, file)}`)
  return named.has(option) ? pairs.map((pair) => `--${option}=${pair}`) : [`--${option}=${pairs.join(',')}`]
}

function textOf(option: string, value: unknown, file: string): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string')
    return value.replace(/\$\{(\w+)\}/g, (_, name: string) => variable(name, file))
  throw wrong(`${option} in ${file} must be a text, a number, a list of these, or names with values.`)
}

/** A variable of the environment: passwords do not belong in files. */
function variable(name: string, file: string): string {
  const value = process.env[name]
  if (value !== undefined) return value
  throw wrong(`${file} uses the environment variable ${name}, which is not set.`)
}

function kebab(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).toLowerCase()
}

/** YAML takes `memory:` for a name without a value. */
function hintOf(text: string): string {
  const [, value] = /^[^#\n]*:\s+([^"'\s]+:)\s*$/m.exec(text) ?? []
  return value === undefined ? '' : ` Write it in quotes: "${value}".`
}

function firstLine(error: unknown): string {
  return (String((error as Error).message).split('\n')[0] as string).replace(/:$/, '.')
}

function wrong(message: string, cause?: unknown): StoreError {
  return new StoreError('INVALID_ARGUMENT', message, cause === undefined ? {} : { cause })
}
