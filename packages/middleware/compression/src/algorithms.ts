import { StoreError } from '@unikv/core'
import { brotli } from './brotli.ts'
import { deflate, gzip } from './deflate.ts'
import { corrupt, type Method } from './engine.ts'
import { zstd } from './zstd.ts'

/** How new values are compressed. Every algorithm that the runtime has stays readable. */
export type Algorithm = 'gzip' | 'deflate' | 'brotli' | 'zstd'

/** The byte of a frame whose value is not compressed. */
export const storedId = 0

const zstdId = 4
const methods: Readonly<Record<Algorithm, Method | undefined>> = { gzip, deflate, brotli, zstd }

/**
 * The method of an option.
 *
 * @throws {StoreError} `INVALID_CONFIG` for an unknown algorithm, `UNSUPPORTED` for one that the runtime lacks
 */
export function methodOf(algorithm: Algorithm): Method {
  if (!Object.hasOwn(methods, algorithm)) {
    const known = Object.keys(methods).join(', ')
    throw new StoreError('INVALID_CONFIG', `The algorithm of a compression must be one of: ${known}.`)
  }
  return methods[algorithm] ?? missing()
}

/**
 * The method that a frame names.
 *
 * @throws {StoreError} `CORRUPT` for an unknown one, `UNSUPPORTED` for one that the runtime lacks
 */
export function methodOfId(id: number): Method {
  const method = Object.values(methods).find((one) => one?.id === id)
  if (method !== undefined) return method
  if (id === zstdId) missing()
  throw corrupt('names an algorithm that this version does not know')
}

/**
 * The level of an option, or the method's own.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function levelOf({ levels }: Method, level: number | undefined): number {
  if (level === undefined) return levels.default
  if (Number.isInteger(level) && level >= levels.min && level <= levels.max) return level
  const message = `The level of this algorithm must be a whole number from ${levels.min} to ${levels.max}.`
  throw new StoreError('INVALID_CONFIG', message)
}

function missing(): never {
  throw new StoreError(
    'UNSUPPORTED',
    'zstd needs Node 22.15 or newer. Use gzip or brotli, or a newer runtime.',
  )
}
