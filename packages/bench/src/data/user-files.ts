import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isStoreError } from '@unikv/core'
import { checkNotPipe } from '@unikv/core/files'
import { isPlainObject } from '@unikv/core/platform'
import { invalidArgument, messageOf } from '../options/invalid.ts'

/** Node.js 20 reads no TypeScript, and later ones read only a part of it. */
const needsCompiler = new Set(['ERR_UNKNOWN_FILE_EXTENSION', 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'])

/** The version of each file that was loaded last, as Node.js never loads a file twice. */
const versions = new Map<string, string>()

/**
 * The default export of a user's JavaScript or TypeScript module.
 *
 * @param what the module in words, such as `data module`
 * @param version a file that was loaded with another version is loaded again; the files that it imports are not
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be loaded
 */
export async function importDefault(path: string, what: string, version: string = ''): Promise<unknown> {
  const file = resolve(path)
  try {
    await checkNotPipe(file)
    return defaultOf(await imported(file, version))
  } catch (cause) {
    throw invalidArgument(`The ${what} ${printable(path)} cannot be loaded: ${messageOf(cause)}`, cause)
  }
}

/** A compiler that writes CommonJS puts the default export into the exports. */
function defaultOf(found: unknown): unknown {
  const { default: own } = found as { readonly default?: unknown }
  return isPlainObject(own) && own['__esModule'] === true ? own['default'] : own
}

async function imported(file: string, version: string): Promise<unknown> {
  const { href } = pathToFileURL(file)
  // CommonJS and jiti look at the name of the file alone.
  if (versions.get(file) !== version) Reflect.deleteProperty(createRequire(href).cache, file)
  versions.set(file, version)
  try {
    return await import(version === '' ? href : `${href}?${version}`)
  } catch (error) {
    if (!needsCompiler.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  const { createJiti } = await import('jiti')
  return createJiti(href, { fsCache: false }).import(file)
}

/**
 * Read something of the user's data.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` that names the path, if it cannot be read
 */
export async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (isStoreError(error)) throw error
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw invalidArgument(`The data in ${printable(path)} cannot be read (${why}).`, error)
  }
}

/** A name for people, on one line with any characters. */
export function printable(name: string): string {
  return name === '' || /[\p{Cc}\u2028\u2029]/u.test(name)
    ? JSON.stringify(name).replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)
    : name
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
