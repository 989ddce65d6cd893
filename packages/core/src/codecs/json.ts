import type { Awaitable } from '../contract/awaitable.ts'
import type { Bytes } from '../contract/bytes.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import { classOf, isPlainArray, isPlainObject } from '../platform/realms.ts'
import type { Layer } from '../stack/layer.ts'
import { type Codec, type CodecCapabilities, codecLayer, freshCodec } from './codec.ts'
import { isBare } from './difference.ts'
import { checkJson } from './lossless.ts'
import { roundTrip, type SchemalessCodec } from './round-trip.ts'
import { checkSchema, type OutputOf, type Schema, validated } from './schema.ts'
import { decodeText } from './text.ts'
import { tooLong } from './too-long.ts'

/** The values that JSON can hold. A property that is `undefined` counts as absent. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/**
 * JSON. Rejects what JSON would change: −0, NaN, infinities, BigInt, Date, Map, Set, functions, class instances,
 * subclasses of Array, `toJSON` methods, cycles, `undefined` inside arrays, sparse arrays. `__proto__` is an ordinary
 * property.
 *
 * `json<User>()` names the type of the values. Nothing checks at run time that a stored value has it; a schema does.
 *
 * With a schema (any Standard Schema), a read gives the schema's output, and a write is rejected unless reading it
 * back would give the same value: so a schema may coerce (dates), but not transform for good.
 */
export function json(): Layer<Bytes, Json, CodecCapabilities>
// An overload, not a default: in a list of layers `V` would be inferred from the list, as `unknown`.
export function json<V>(): Layer<Bytes, V, CodecCapabilities>
export function json<S extends Schema>(schema: S): Layer<Bytes, OutputOf<S>, CodecCapabilities>
export function json(schema?: Schema): Layer<Bytes, unknown, CodecCapabilities> {
  checkSchema('json', schema)
  return freshCodec<unknown>(jsonCodec(schema))
}

/** The codec of `json`, for tools that put values into records of their own. */
export function jsonCodec(schema?: Schema): Codec<unknown> {
  const schemaless = schemalessOf((text) => Buffer.from(text))
  return {
    name: 'json',
    encode: (value) =>
      schema === undefined ? Buffer.from(stringify(value)) : roundTrip(schema, value, schemaless),
    decode: (stored) => read(decodeText(stored), schema),
  }
}

/**
 * JSON data in a store of documents (`values: 'document'`), so that the store's own queries work. The same rules
 * as `json`, but the store holds the data itself.
 */
export function document(): Layer<Json, Json, CodecCapabilities>
export function document<V>(): Layer<Json, V, CodecCapabilities>
export function document<S extends Schema>(schema: S): Layer<Json, OutputOf<S>, CodecCapabilities>
export function document(schema?: Schema): Layer<Json, unknown, CodecCapabilities> {
  checkSchema('document', schema)
  const schemaless = schemalessOf((text) => parse(text) as Json)
  const own = {
    name: 'document',
    encode: (value: unknown): Awaitable<Json> =>
      schema === undefined ? (parse(stringify(value)) as Json) : roundTrip(schema, value, schemaless),
    decode: (stored: Json): Awaitable<unknown> => (schema === undefined ? stored : validated(schema, stored)),
  }
  return codecLayer<unknown, Json, CodecCapabilities>(own, 'documents', { increment: false }, true)
}

/** JSON below a schema: the round trip decides, so that a schema may bring back what JSON writes as text. */
function schemalessOf<T>(storedOf: (text: string) => T): SchemalessCodec<T> {
  return {
    formOf: (value) => {
      const text = stringify(value, true)
      return { stored: storedOf(text), back: parse(text) }
    },
    wantedOf: (value, _form, mayChange) => (mayChange ? copyOfData(value) : value),
  }
}

/** JSON data part by part, dates included; instances of other classes stay as they are. */
export function copyOfData(value: unknown): unknown {
  if (isPlainArray(value) || isPlainObject(value)) {
    const parts = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyOfData(part)]))
    return Array.isArray(value) ? Object.assign(Array.from(value), parts) : parts
  }
  return isBare(value) && classOf(value) !== 'Object' ? structuredClone(value) : value
}

function stringify(value: unknown, lenient = false): string {
  try {
    if (!lenient) checkJson(value)
    const text = JSON.stringify(value)
    if (typeof text === 'string') return text
  } catch (error) {
    if (isStoreError(error)) throw error
    const refusal = tooLong(error)
    if (refusal !== undefined) throw refusal
    // A value that JSON itself rejects has a place, unless it is nested too deeply.
    if (lenient) stringify(value)
  }
  throw new StoreError(
    'INVALID_VALUE',
    'JSON cannot hold this value, or it is nested too deeply. Use structured().',
  )
}

function read(text: string, schema: Schema | undefined): Awaitable<unknown> {
  const value = parse(text)
  return schema === undefined ? value : validated(schema, value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new StoreError('CORRUPT', 'The stored value is not JSON. Check that the same layers wrote it.')
  }
}
