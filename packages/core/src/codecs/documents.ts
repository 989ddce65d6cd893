import type { Bytes } from '../contract/bytes.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { Mutation } from '../contract/store.ts'
import { isBytes, isPlainObject } from '../platform/realms.ts'
import type { Json } from './json.ts'
import { tooLong } from './too-long.ts'

/**
 * A document as JSON text, for stores that hold documents.
 *
 * @throws {StoreError} `INVALID_VALUE` for what JSON would change, and for lone surrogates, which servers refuse
 */
export function documentText(value: Json): string {
  try {
    const text: unknown = JSON.stringify(value, lossless)
    if (typeof text === 'string') return text
  } catch (cause) {
    if (isStoreError(cause)) throw cause
    const refusal = tooLong(cause)
    if (refusal !== undefined) throw refusal
  }
  throw new StoreError('INVALID_VALUE', 'The value is not a document: it is cyclic or nested too deeply.')
}

/** A replacer that replaces nothing. `this` holds the value as it is, before any `toJSON`. Servers take no lone surrogate. */
function lossless(this: Readonly<Record<string, unknown>>, name: string, replaced: unknown): unknown {
  const value = this[name]
  const kept =
    typeof value === 'object'
      ? isPlain(value) && value === replaced
      : isScalar(value) || (value === undefined && !Array.isArray(this))
  if (kept && name.isWellFormed()) return replaced
  throw new StoreError('INVALID_VALUE', `A document cannot hold ${kindOf(value)}: JSON would change it.`)
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  return typeof value === 'string' ? value.isWellFormed() : typeof value === 'boolean'
}

function isPlain(value: object | null): boolean {
  return value === null || Array.isArray(value) || isPlainObject(value)
}

function kindOf(value: unknown): string {
  if (typeof value === 'object') return 'a class instance, a date, a map or a set'
  if (typeof value === 'string') return 'a lone surrogate'
  return typeof value === 'number' ? '-0, NaN or an infinity' : `a value of type ${typeof value}`
}

/**
 * A mutation that may wait before it is sent: its value is a copy, so that what goes out does not change with what the
 * caller holds. (`slice` of a Buffer would be a view.)
 */
export function withOwnValue<M extends Mutation<Bytes>>(mutation: M): M {
  return mutation.type === 'set' ? { ...mutation, value: Buffer.from(mutation.value) } : mutation
}

/** A copy that only its receiver holds. A value that is not a document is passed on, so that the store rejects it. */
export function ownValue(value: unknown): unknown {
  const own = another(value)
  if (own !== value || typeof value !== 'object') return own
  try {
    return structuredClone(value)
  } catch {
    return value
  }
}

/** A copy of bytes or of a document; any other value as it is. */
export function another(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Buffer.isBuffer(value)) return Buffer.from(value)
  if (isBytes(value)) return new Uint8Array(value)
  try {
    return JSON.parse(documentText(value as Json))
  } catch {
    return value
  }
}
