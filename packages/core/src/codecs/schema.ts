import { isDeepStrictEqual, types } from 'node:util'
import { type Awaitable, andThen } from '../awaitable.ts'
import { StoreError } from '../errors.ts'
import { isPlainObject } from '../realms.ts'
import { at } from './lossless.ts'

/**
 * The part of Standard Schema 1 (https://standardschema.dev) that is used here; zod, valibot, arktype and others
 * implement it. A schema that validates with a promise makes every read and write asynchronous.
 */
export interface Schema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    /** The output for a value, or the issues that it has. */
    readonly validate: (value: unknown) => Awaitable<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** What a schema says of a value. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }

/** The output type of a schema. */
export type OutputOf<S extends Schema> = NonNullable<S['~standard']['types']>['output']

/** The schema's output for a value, or an error that says where it does not fit, never the value. */
export function validated<T>(
  schema: Schema<T>,
  value: unknown,
  code: 'CORRUPT' | 'INVALID_VALUE',
): Awaitable<T> {
  return andThen(schema['~standard'].validate(value), (result) => {
    if (result.issues === undefined) return result.value
    const path = result.issues[0]?.path?.map((step) => (typeof step === 'object' ? step.key : step)) ?? []
    const whose = code === 'CORRUPT' ? 'The stored value' : 'The value'
    throw new StoreError(
      code,
      `${whose} does not fit the schema${at(path)} (${result.issues.length} in all).`,
    )
  })
}

/** What is to be stored of `value`, whose JSON text is `text`, if reading it back through the schema gives the same value. */
export function roundTrip<T>(
  schema: Schema,
  value: unknown,
  text: string,
  stored: (text: string) => T,
): Awaitable<T> {
  return andThen(validated(schema, JSON.parse(text), 'INVALID_VALUE'), (back) => {
    if (same(back, value)) return stored(text)
    const message =
      'Reading this value back through the schema would change it. Use structured(), or a schema that brings it back.'
    throw new StoreError('INVALID_VALUE', message)
  })
}

/** Equal in type and content; a property that is `undefined` counts as absent. */
function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => same(item, b[i]))
  if (!isPlainObject(a) || !isPlainObject(b)) return isDeepStrictEqual(ofThisRealm(a), ofThisRealm(b))
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Array.from(names).every((name) => same(a[name], b[name]))
}

/** The same value with a prototype of this realm, by which `isDeepStrictEqual` goes. */
function ofThisRealm(value: unknown): unknown {
  if (types.isDate(value)) return new Date(value)
  if (types.isMap(value)) return new Map(value)
  if (types.isSet(value)) return new Set(value)
  return value
}
