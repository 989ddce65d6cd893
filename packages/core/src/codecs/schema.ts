import { type Awaitable, andThen } from '../contract/awaitable.ts'
import { type ErrorIssue, StoreError } from '../contract/errors.ts'
import { kindOf } from '../options/check-options.ts'
import { at, type IsKnown, type Path, wherever } from './place.ts'
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

/**
 * The error for a value that a schema rejects. `error.issues` has what the schema said. The messages of a schema may quote the
 * value, so the text of the error has only what the schema expected at the first place.
 */
export function misfit(
  code: 'CORRUPT' | 'INVALID_VALUE',
  schema: Schema,
  value: unknown,
  issues: readonly SchemaIssue[],
  hint = '',
): StoreError {
  const path = pathOf(issues)
  const whose = code === 'CORRUPT' ? 'The stored value' : 'The value'
  const isKnown = knownBy(schema)
  const place = at(path, value, isKnown)
  const reason = reasonOf(issues[0], isKnown)
  const message = `${whose} does not fit the schema${place} (${issues.length} in all)${reason}.${hint}${wherever(place)}`
  return new StoreError(code, message, { path, issues: issues.map(told) })
}

/** Facts about an issue besides its message, which libraries take from the schema alone. */
interface Detail {
  readonly expected?: unknown
  readonly format?: unknown
  readonly origin?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
}

const units: Readonly<Record<string, string>> = {
  string: ' characters',
  array: ' elements',
  set: ' elements',
}

/** The type that the schema expects, as far as each word of it is a common one, or stands in the schema itself. */
function reasonOf(issue: SchemaIssue | undefined, isKnown: IsKnown): string {
  const { expected, format, origin, minimum, maximum } = (issue ?? {}) as Detail
  const unit = units[String(origin)] ?? ''
  const sayings = [
    [expected, '', ''],
    [format, 'a valid ', ''],
    [minimum, 'at least ', unit],
    [maximum, 'at most ', unit],
  ] as const
  const isSafe = (word: string): boolean => words.has(word) || isKnown(word)
  const found = sayings.find(([what]) => isText(what) && wordsIn(what).every(isSafe))
  return found === undefined ? '' : `: expected ${found[1]}${String(found[0])}${found[2]}`
}

const words: ReadonlySet<string> = new Set(
  'a an array bigint boolean date file int integer map never null number object or record set string symbol tuple undefined'.split(
    ' ',
  ),
)

function isText(what: unknown): what is string | number | bigint {
  return ['string', 'number', 'bigint'].includes(typeof what) && /^[^\n]{1,60}$/.test(String(what))
}

function wordsIn(text: string | number | bigint): readonly string[] {
  return String(text).match(/[^\s|"'`<>=,()]+/g) ?? []
}

function told(issue: SchemaIssue): ErrorIssue {
  return { message: issue.message, path: pathOf([issue]) }
}

/** Where the first issue is. */
export function pathOf(issues: readonly SchemaIssue[]): Path {
  return issues[0]?.path?.map((step) => (typeof step === 'object' ? step.key : step)) ?? []
}
