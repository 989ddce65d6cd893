import { resolve } from 'node:path'
import { StoreError } from '@unikv/core'
import { checkFactoryOptions, kindOf, type OptionNames, ownNumbers, ownRandom } from '@unikv/core/adapter'
import { isPlainObject, monotonicClock, wallClock } from '@unikv/core/platform'

/** Settings of `inherit`. */
export interface InheritOptions {
  /** A document that lies below everything that the document extends. @default none */
  readonly base?: string | undefined
  /** Folders of libraries by name: `lib:NAME:path` is a file in one. @default none */
  readonly libraries?: { readonly [name: string]: string } | undefined
  /** Further folders that files may be read from. @default none: the folder of the document, of the base, and of libraries */
  readonly folders?: readonly string[] | undefined
  /** Names of variables that `sys:env` may read. @default none */
  readonly variables?: readonly string[] | undefined
  /** The variables. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** Time for `sys:time`, in milliseconds since 1970. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** Numbers for `sys:random`, from 0 to below 1. @default Math.random */
  readonly random?: (() => number) | undefined
  /** Time that bounds regular expressions, in milliseconds. @default the monotonic clock of the platform */
  readonly monotonicClock?: (() => number) | undefined
}

/** Settings of `unfold`. */
export interface UnfoldOptions extends InheritOptions {
  /** Indexes of the documents that are wanted, from 0. @default all */
  readonly documents?: readonly number[] | undefined
}

/** Settings with their defaults. */
export interface Settings {
  readonly base: string | undefined
  readonly libraries: ReadonlyMap<string, string>
  readonly folders: readonly string[]
  readonly variables: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: () => number
  readonly random: () => number
  readonly monotonicClock: () => number
}

const names: OptionNames<InheritOptions> = {
  base: true,
  libraries: true,
  folders: true,
  variables: true,
  environment: true,
  clock: true,
  random: true,
  monotonicClock: true,
}
const unfoldNames: OptionNames<UnfoldOptions> = { ...names, documents: true }

/**
 * Check settings, and fill in what is left out.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(whose: 'inherit' | 'unfold', options: UnfoldOptions = {}): Settings {
  checkFactoryOptions(whose, options, whose === 'unfold' ? unfoldNames : names)
  const { base, libraries = {}, environment = process.env } = options
  if (base !== undefined) checkFile('base', base)
  if (!isPlainObject(libraries)) throw wrongOption('libraries', 'an object with names and folders', libraries)
  for (const [name, folder] of Object.entries(libraries)) {
    if (!/^[\w-]+$/.test(name))
      throw new StoreError('INVALID_CONFIG', `libraries: '${name}' must have letters, digits, _ and - only.`)
    checkFile(`libraries.${name}`, folder)
  }
  return {
    base,
    libraries: new Map(Object.entries(libraries).map(([name, folder]) => [name, resolve(folder)])),
    folders: texts('folders', options.folders).map((folder) => resolve(folder)),
    variables: texts('variables', options.variables),
    environment,
    clock: ownNumbers(whose, 'clock', options.clock, wallClock),
    random: ownRandom(whose, options.random),
    monotonicClock: ownNumbers(whose, 'monotonicClock', options.monotonicClock, monotonicClock),
  }
}

/**
 * Check the name of a file.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkFile(option: string, file: unknown): void {
  if (typeof file !== 'string' || file === '') throw wrongOption(option, 'a path', file)
}

function texts(option: string, given: readonly string[] = []): readonly string[] {
  if (!Array.isArray(given)) throw wrongOption(option, 'a list', given)
  for (const [at, text] of given.entries()) checkFile(`${option}[${at}]`, text)
  return given
}

function wrongOption(option: string, right: string, given: unknown): StoreError {
  const got = given === '' ? 'an empty one' : kindOf(given)
  return new StoreError('INVALID_CONFIG', `${option} must be ${right}; got ${got}.`)
}
