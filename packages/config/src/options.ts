import { resolve } from 'node:path'
import { StoreError } from '@unikv/core'
import { any, kindOf, type OptionsOf, ownClock, random, readOptions } from '@unikv/core/adapter'
import { isPlainObject, monotonicClock } from '@unikv/core/platform'

type Environment = Readonly<Record<string, string | undefined>>

const table = {
  /** A document that lies below everything that the document extends. @default none */
  base: path,
  /** Folders of libraries by name: `lib:NAME:path` is a file in one. @default none */
  libraries: folders,
  /** Further folders that files may be read from. @default none: the folder of the document, of the base, and of libraries */
  folders: paths,
  /** Names of variables that `sys:env` may read. @default none */
  variables: texts,
  /** The variables. @default process.env */
  environment: (given: Environment | undefined = process.env) => given,
  /** Time for `sys:time`, in milliseconds since 1970. @default Date.now */
  clock: ownClock(),
  /** Numbers for `sys:random`, from 0 to below 1. @default Math.random */
  random: random(),
  /** Time that bounds regular expressions, in milliseconds. @default the monotonic clock of the platform */
  monotonicClock: ownClock(monotonicClock),
}

const unfoldTable = {
  /** Indexes of the documents that are wanted, from 0. @default all */
  documents: any<readonly number[]>(),
}

/** Settings of `inherit`. */
export interface InheritOptions extends OptionsOf<typeof table> {}

/** Settings of `unfold`. */
export interface UnfoldOptions extends InheritOptions, OptionsOf<typeof unfoldTable> {}

/** Settings with their defaults. */
export type Settings = ReturnType<typeof settingsOf>

/**
 * Check settings, and fill in what is left out.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(whose: 'inherit' | 'unfold', options: UnfoldOptions = {}) {
  return readOptions(whose, whose === 'unfold' ? { ...table, ...unfoldTable } : table, options)
}

function path(given: string | undefined, name: string): string | undefined {
  if (given !== undefined) checkFile(name, given)
  return given
}

function folders(
  libraries: { readonly [name: string]: string } | undefined = {},
): ReadonlyMap<string, string> {
  if (!isPlainObject(libraries)) throw wrongOption('libraries', 'an object with names and folders', libraries)
  for (const [name, folder] of Object.entries(libraries)) {
    if (!/^[\w-]+$/.test(name))
      throw new StoreError('INVALID_CONFIG', `libraries: '${name}' must have letters, digits, _ and - only.`)
    checkFile(`libraries.${name}`, folder)
  }
  return new Map(Object.entries(libraries).map(([name, folder]) => [name, resolve(folder)]))
}

function paths(given: readonly string[] | undefined, name: string): readonly string[] {
  return texts(given, name).map((folder) => resolve(folder))
}

function texts(given: readonly string[] | undefined = [], name: string): readonly string[] {
  if (!Array.isArray(given)) throw wrongOption(name, 'a list', given)
  for (const [at, text] of given.entries()) checkFile(`${name}[${at}]`, text)
  return given
}

/**
 * Check the name of a file.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkFile(option: string, file: unknown): void {
  if (typeof file !== 'string' || file === '') throw wrongOption(option, 'a path', file)
}

function wrongOption(option: string, right: string, given: unknown): StoreError {
  const got = given === '' ? 'an empty one' : kindOf(given)
  return new StoreError('INVALID_CONFIG', `${option} must be ${right}; got ${got}.`)
}
