import { type Awaitable, andThen } from '../contract/awaitable.ts'
import { StoreError } from '../contract/errors.ts'
import { kindOf } from '../options/check-options.ts'
import { at, type Path } from './place.ts'
import { knownBy } from './schema-names.ts'

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

/** The result of a schema for a value. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The output type of a schema. */
export type OutputOf<S extends Schema> = NonNullable<S['~standard']['types']>['output']

/** Refuse what is not a schema when the layer is made: later it would be taken for a wrong value. */
export function checkSchema(whose: string, schema: unknown): void {
  const standard = (Object(schema) as Partial<Schema>)['~standard']
  if (schema === undefined || typeof standard?.validate === 'function') return
  throw new StoreError('INVALID_CONFIG', `${whose}() takes a Standard Schema, got ${kindOf(schema)}.`)
}

/** The schema's output for a stored value, or an error that says where it does not fit, never the value. */
export function validated<T>(schema: Schema<T>, stored: unknown): Awaitable<T> {
  return andThen(schema['~standard'].validate(stored), (result) => {
    if (result.issues === undefined) return result.value
    throw misfit('CORRUPT', schema, stored, result.issues)
  })
}

/** The error for a value that a schema rejects. It leaves out the messages of the schema, which may quote the value. */
export function misfit(
  code: 'CORRUPT' | 'INVALID_VALUE',
  schema: Schema,
  value: unknown,
  issues: readonly SchemaIssue[],
  hint = '',
): StoreError {
  const path = pathOf(issues)
  const whose = code === 'CORRUPT' ? 'The stored value' : 'The value'
  const place = at(path, value, knownBy(schema))
  return new StoreError(code, `${whose} does not fit the schema${place} (${issues.length} in all).${hint}`, {
    path,
  })
}

/** Where the first issue is. */
export function pathOf(issues: readonly SchemaIssue[]): Path {
  return issues[0]?.path?.map((step) => (typeof step === 'object' ? step.key : step)) ?? []
}
