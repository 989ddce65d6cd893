import type { Awaitable } from '../awaitable.ts'
import type { Bytes } from '../bytes.ts'
import { isStoreError, StoreError } from '../errors.ts'
import type { Layer } from '../layer.ts'
import { type CodecCapabilities, codec, codecLayer } from './codec.ts'
import { checkJson } from './lossless.ts'
import { type OutputOf, roundTrip, type Schema, validated } from './schema.ts'
import { decodeText } from './text.ts'

/** What JSON can hold. A property that is `undefined` counts as absent. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/**
 * JSON. Refuses what JSON would change: −0, NaN, infinities, BigInt, Date, Map, Set, functions, class instances,
 * cycles, `undefined` inside arrays, sparse arrays. `__proto__` is an ordinary property.
 *
 * With a schema (any Standard Schema), a read gives the schema's output, and a write is refused unless reading it
 * back would give the same value: so a schema may coerce (dates), but not transform for good.
 */
export function json(): Layer<Bytes, Json, CodecCapabilities>
export function json<S extends Schema>(schema: S): Layer<Bytes, OutputOf<S>, CodecCapabilities>
export function json(schema?: Schema): Layer<Bytes, unknown, CodecCapabilities> {
  return codec<unknown>({
    name: 'json',
    encode: (value) => {
      if (schema === undefined) return Buffer.from(stringify(value))
      return roundTrip(schema, value, stringify(value, true), (text) => Buffer.from(text))
    },
    decode: (stored) => read(decodeText(stored), schema),
  })
}

/**
 * JSON data in a store of documents (`values: 'document'`), so that the store's own queries work. The same rules
 * as `json`, but the store holds the data itself.
 */
export function document(): Layer<Json, Json, CodecCapabilities>
export function document<S extends Schema>(schema: S): Layer<Json, OutputOf<S>, CodecCapabilities>
export function document(schema?: Schema): Layer<Json, unknown, CodecCapabilities> {
  const own = {
    name: 'document',
    encode: (value: unknown): Awaitable<Json> => {
      if (schema === undefined) return parse(stringify(value)) as Json
      return roundTrip(schema, value, stringify(value, true), (text) => parse(text) as Json)
    },
    decode: (stored: Json): Awaitable<unknown> =>
      schema === undefined ? stored : validated(schema, stored, 'CORRUPT'),
  }
  return codecLayer<unknown, Json, CodecCapabilities>(own, 'documents', { increment: false })
}

/** With a schema the round trip decides, so that a schema may bring back what JSON writes as text. */
function stringify(value: unknown, lenient = false): string {
  try {
    if (!lenient) checkJson(value)
    const text = JSON.stringify(value)
    if (typeof text === 'string') return text
  } catch (error) {
    if (isStoreError(error)) throw error
  }
  throw new StoreError(
    'INVALID_VALUE',
    'JSON has no form for this value, or it is cyclic or nested too deep.',
  )
}

function read(text: string, schema: Schema | undefined): Awaitable<unknown> {
  const value = parse(text)
  return schema === undefined ? value : validated(schema, value, 'CORRUPT')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new StoreError('CORRUPT', 'The stored value is not JSON. Check that the same layers wrote it.')
  }
}
