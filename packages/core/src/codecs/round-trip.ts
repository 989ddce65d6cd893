import { type Awaitable, andThen, isPromise } from '../contract/awaitable.ts'
import { StoreError } from '../contract/errors.ts'
import { type Difference, differenceOf } from './difference.ts'
import { changedByJson } from './lossless.ts'
import { at, type Path, partOf, wherever } from './place.ts'
import { misfit, pathOf, type Schema, type SchemaResult } from './schema.ts'
import { knownBy } from './schema-names.ts'

/** The form that a codec without its schema gives to a value. */
export interface Form<T> {
  readonly stored: T
  /** The value read back, which the schema then sees. */
  readonly back: unknown
}

/** A codec without its schema. */
export interface SchemalessCodec<T> {
  formOf(value: unknown): Form<T>
  /** The value that the schema must restore, or a copy if its owner may change it while the schema works. */
  wantedOf(value: unknown, form: Form<T>, mayChange: boolean): unknown
}

/**
 * The form to store, if reading it back through the schema gives the same value.
 *
 * @throws {StoreError} `INVALID_VALUE` with the place and what to do
 */
export function roundTrip<T>(schema: Schema, given: unknown, codec: SchemalessCodec<T>): Awaitable<T> {
  const form = codec.formOf(given)
  const answer = schema['~standard'].validate(form.back)
  const value = codec.wantedOf(given, form, isPromise(answer))
  return andThen(answer, (result) => {
    if (result.issues !== undefined)
      throw misfit(
        'INVALID_VALUE',
        schema,
        value,
        result.issues,
        hintOf(value, form.back, pathOf(result.issues)),
      )
    const difference = differenceOf(value, result.value)
    if (difference === undefined) return form.stored
    return andThen(isStable(schema, result.value, codec), (stable) => {
      throw changed(schema, value, form.back, difference, stable)
    })
  })
}

/** Whether the schema brings back its own output, so that this could be stored. */
function isStable<T>(schema: Schema, output: unknown, codec: SchemalessCodec<T>): Awaitable<boolean> {
  try {
    const again = schema['~standard'].validate(codec.formOf(output).back)
    const isSame = (result: SchemaResult<unknown>): boolean =>
      result.issues === undefined && differenceOf(output, result.value) === undefined
    return isPromise(again) ? Promise.resolve(again).then(isSame, () => false) : isSame(again)
  } catch {
    return false
  }
}

/** The change that JSON made to a part of a value before the schema saw it; `undefined` if none. */
function lostOf(part: unknown, backPart: unknown): string | undefined {
  const isKept = differenceOf(part, backPart) === undefined
  return isKept || part === undefined ? undefined : changedByJson(part)
}

const bringBack = 'Use a schema that restores it, such as z.coerce.date(), or structured(schema).'

function hintOf(value: unknown, back: unknown, path: Path): string {
  const lost = lostOf(partOf(value, path), partOf(back, path))
  return lost === undefined ? '' : ` JSON changed ${lost} there. ${bringBack}`
}

const whatItDoes = {
  added: 'it adds a property',
  dropped: 'it drops a property',
  changed: 'it returns another value',
} as const

function changed(
  schema: Schema,
  value: unknown,
  back: unknown,
  { path, kind }: Difference,
  stable: boolean,
): StoreError {
  const lost = lostOf(partOf(value, path), partOf(back, path))
  const place = at(path, value, knownBy(schema))
  const what = lost === undefined ? whatItDoes[kind] : `JSON changed ${lost}`
  return new StoreError(
    'INVALID_VALUE',
    `Reading this value back through the schema would change it${place}: ${what}. ${remedyOf(lost, stable)}${wherever(place)}`,
    { path },
  )
}

function remedyOf(lost: string | undefined, stable: boolean): string {
  if (lost !== undefined) return bringBack
  if (stable) return 'Parse the value with the schema first and store the result.'
  return 'The schema would also change its own output: transform values after reading instead.'
}
