import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Bytes, StoreError } from '@unikv/core'
import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { invalidArgument } from '../options/invalid.ts'
import { fastRandom, type Random, subSeed } from '../random/random.ts'
import type { DataSource } from './data-source.ts'
import { filesSource } from './files.ts'
import { importDefault, printable } from './user-files.ts'

/** Which data, as on the command line. */
export interface DataRequest {
  /** `['synthetic']`, one module alone, or directories and files. */
  readonly data: readonly string[]
  readonly seed: number
  /** Compressibility of synthetic data, 0 to 1. @default 0.5 */
  readonly compressibility?: number | undefined
}

const requestNames: OptionNames<DataRequest> = { data: true, seed: true, compressibility: true }

const moduleExtensions = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts'])

/**
 * The data source that a request names: the word `synthetic`, a module whose default export makes objects, or
 * directories and files (among which a module is a text like any other).
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it is not there or cannot be read, or for synthetic and real data together
 */
export async function openData(request: DataRequest): Promise<DataSource> {
  checkOptions('openData', request, requestNames, 'INVALID_ARGUMENT')
  const { data, seed, compressibility } = request
  const only = data[0] ?? 'synthetic'
  if (data.length > 1 && data.includes('synthetic')) {
    throw invalidArgument('Data is either synthetic or real: several directories and files, or a module.')
  }
  if (only === 'synthetic')
    return synthetic({ seed, ...(compressibility === undefined ? {} : { compressibility }) })
  if (compressibility !== undefined) {
    throw invalidArgument('The compressibility applies only to synthetic data.')
  }
  return data.length === 1 && (await isModule(only)) ? moduleSource(only, seed) : filesSource(data, seed)
}

/** A directory may well be called `chart.js`. */
async function isModule(path: string): Promise<boolean> {
  if (!moduleExtensions.has(extname(path))) return false
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() !== true
}

/** Which object a user's function is asked for. */
export interface ObjectRequest {
  /** Bytes that the object must have. */
  readonly size: number
  /** From 0 upwards within one size. */
  readonly index: number
  /** A seed of this object's own. */
  readonly seed: number
}

/** A user's function that makes objects: bytes, or text that is stored as UTF-8. */
export type ObjectFunction = (request: ObjectRequest) => Bytes | string | Promise<Bytes | string>

/** Objects from a function. */
export function functionSource(make: ObjectFunction, seed: number, description = 'a function'): DataSource {
  return {
    kind: 'module',
    description,
    objects: async (size, count) => {
      const made: Bytes[] = []
      for (let index = 0; index < count; index++) {
        made.push(checked(await make({ size, index, seed: subSeed(seed, size, index) }), size, description))
      }
      return made
    },
  }
}

/**
 * Objects from the function that a module exports as its default.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the module cannot be loaded or exports no function
 */
async function moduleSource(path: string, seed: number): Promise<DataSource> {
  const make = await importDefault(path, 'data module')
  if (typeof make !== 'function') {
    throw invalidArgument(`The data module ${printable(path)} must export a function as its default.`)
  }
  return functionSource(make as ObjectFunction, seed, `the function of ${printable(path)}`)
}

function checked(made: unknown, size: number, description: string): Bytes {
  const bytes = typeof made === 'string' ? Buffer.from(made, 'utf8') : made
  if (!isBytes(bytes)) throw new StoreError('INVALID_VALUE', `${description} must return bytes or text.`)
  if (bytes.length === size) return bytes
  throw new StoreError(
    'INVALID_VALUE',
    `${description} returned ${bytes.length} bytes where ${size} were asked for.`,
  )
}

/** The properties of synthetic objects. */
export interface SyntheticOptions {
  readonly seed: number
  /**
   * How much a compressor can save, from 0 (random bytes) to 1 (one repeated byte): gzip leaves about
   * 1 − compressibility of an object of some kilobytes.
   * @default 0.5
   */
  readonly compressibility?: number | undefined
}

const optionNames: OptionNames<SyntheticOptions> = { seed: true, compressibility: true }

/** Random and repeated bytes take turns within blocks of this size, so that small objects hold both. */
const BLOCK = 256
const REPEATED = 0x20

/**
 * Made-up objects of any size and of a chosen compressibility. Purely random text would be neither incompressible
 * nor realistic.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if the compressibility is not within 0 to 1
 */
export function synthetic(options: SyntheticOptions): DataSource {
  checkOptions('synthetic', options, optionNames, 'INVALID_ARGUMENT')
  const { seed, compressibility = 0.5 } = options
  if (!(compressibility >= 0 && compressibility <= 1)) {
    throw invalidArgument('The compressibility must be a number from 0 to 1.')
  }
  return {
    kind: 'synthetic',
    description: `synthetic, compressibility ${compressibility}`,
    objects: async (size, count) =>
      Array.from({ length: count }, (_, index) =>
        object(size, compressibility, fastRandom(subSeed(seed, size, index))),
      ),
  }
}

function object(size: number, compressibility: number, random: Random): Uint8Array {
  const words = Uint32Array.from({ length: Math.ceil(size / 4) }, () => random.uint32())
  const bytes = new Uint8Array(words.buffer, 0, size)
  for (let start = 0; start < size; start += BLOCK) {
    const end = Math.min(size, start + BLOCK)
    bytes.fill(REPEATED, end - Math.round((end - start) * compressibility), end)
  }
  return bytes
}
