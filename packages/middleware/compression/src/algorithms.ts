import { type Bytes, StoreError } from '@unikv/core'
import { brotli } from './algorithms/brotli.ts'
import { deflate, deflateWith, gzip } from './algorithms/deflate.ts'
import { lz4 } from './algorithms/lz4.ts'
import { snappy } from './algorithms/snappy.ts'
import { type Dictionaries, type Dictionary, dictionaryIdBytes } from './dictionary/dictionary.ts'
import { corrupt, type Method } from './engine.ts'
import { zstd } from './zstd/zstd.ts'

/** How new values are compressed. Every algorithm that the runtime or an installed package has stays readable. */
export type Algorithm = 'gzip' | 'deflate' | 'brotli' | 'zstd' | 'lz4' | 'snappy'

/** The byte of a frame whose value is not compressed. */
export const storedId = 0

/** Added to the byte of an algorithm: the body begins with the id of a dictionary. */
const dictionaryFlag = 128

/** In the order of their bytes in a frame, from 1 on. */
const methods: Readonly<Record<Algorithm, () => Method>> = {
  gzip: () => gzip,
  deflate: () => deflate,
  brotli: () => brotli,
  zstd,
  lz4,
  snappy,
}

const makers = Object.values(methods)
const made: Method[] = []

/** Those that look back into a dictionary, by their bytes in a frame. */
const withDictionary: ReadonlyMap<number, (dictionary: Buffer) => Method> = new Map([
  [2, deflateWith],
  [4, zstd],
])

/**
 * The method of an option.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown algorithm, or one whose package is missing
 */
export function methodOf(algorithm: Algorithm, dictionary: Dictionary | undefined): Method {
  if (!Object.hasOwn(methods, algorithm)) {
    const known = Object.keys(methods).join(', ')
    throw new StoreError('INVALID_CONFIG', `The algorithm of a compression must be one of: ${known}.`)
  }
  const method = methods[algorithm]()
  if (dictionary === undefined) return method
  const maker = withDictionary.get(method.id)
  if (maker !== undefined) return naming(maker(dictionary.bytes), dictionary)
  throw new StoreError('INVALID_CONFIG', `${algorithm} cannot use a dictionary. Use zstd or deflate.`)
}

/**
 * The method that a frame names, with what of its body belongs to it.
 *
 * @throws {StoreError} `CORRUPT` for an unknown one, `INVALID_CONFIG` for one whose package is missing, or an
 * unknown dictionary
 */
export function methodOfFrame(id: number, body: Bytes, dictionaries: Dictionaries): Method {
  if (id < dictionaryFlag) return (made[id] ??= (makers[id - 1] ?? unknown)())
  const maker = withDictionary.get(id - dictionaryFlag) ?? unknown()
  if (body.length <= dictionaryIdBytes) throw corrupt('names no dictionary')
  const dictionary = dictionaries.find(body.subarray(0, dictionaryIdBytes))
  const known = dictionary.methods.get(id)
  if (known !== undefined) return known
  const method = naming(maker(dictionary.bytes), dictionary)
  dictionary.methods.set(id, method)
  return method
}

/**
 * The level of an option, or the method's own.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function levelOf({ levels }: Method, level: number | undefined): number {
  if (level === undefined) return levels?.default ?? 0
  if (levels === undefined)
    throw new StoreError('INVALID_CONFIG', 'This algorithm has no levels: leave level out.')
  if (Number.isInteger(level) && level >= levels.min && level <= levels.max) return level
  const message = `The level of this algorithm must be a whole number from ${levels.min} to ${levels.max}.`
  throw new StoreError('INVALID_CONFIG', message)
}

/** A method whose bodies begin with the id of their dictionary. */
function naming(method: Method, { id, bytes }: Dictionary): Method {
  const rest = (body: Bytes): Bytes => body.subarray(dictionaryIdBytes)
  return {
    ...method,
    id: method.id + dictionaryFlag,
    // a dictionary is read anew for each value, at a quarter of what compressing it would cost
    syncBytes: (level) => Math.max(0, method.syncBytes(level) - bytes.length / 4),
    compressNow: (value, level) => Buffer.concat([id, method.compressNow(value, level)]),
    compress: async (value, level) => Buffer.concat([id, await method.compress(value, level)]),
    decompressNow: (body, length) => method.decompressNow(rest(body), length),
    decompress: (body, length) => method.decompress(rest(body), length),
  }
}

function unknown(): never {
  throw corrupt('names an algorithm that this version does not support')
}
