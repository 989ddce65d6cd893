import { type Bytes, isVersion, type Json, StoreError, type Version } from '@unikv/core'

/** How values travel: bytes as they are, documents as JSON text. */
export interface ValueForm<V> {
  readonly documents: boolean
  /** What is bound to a statement. A copy: the caller may change its value while the statement waits. */
  toParameter(value: V): Buffer
  /** @throws {StoreError} `CORRUPT` */
  fromColumn(column: Buffer): V
}

export const bytesForm: ValueForm<Bytes> = {
  documents: false,
  toParameter: (value) => Buffer.from(value),
  fromColumn: (column) => column,
}

export const documentForm: ValueForm<Json> = {
  documents: true,
  toParameter: (value) => Buffer.from(documentText(value)),
  fromColumn(column) {
    try {
      return JSON.parse(column.toString()) as Json
    } catch (cause) {
      throw new StoreError('CORRUPT', 'The column value holds no JSON. Was it changed by hand?', { cause })
    }
  },
}

/** @throws {StoreError} `INVALID_VALUE` for what JSON would change */
function documentText(value: Json): string {
  try {
    const text: unknown = JSON.stringify(value, lossless)
    if (typeof text === 'string') return text
  } catch (cause) {
    if (cause instanceof StoreError) throw cause
  }
  throw new StoreError(
    'INVALID_VALUE',
    'The value is no document: it is cyclic, nested too deep, or nothing at all.',
  )
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
  if (value === null || Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function kindOf(value: unknown): string {
  if (typeof value === 'object') return 'a class instance, a date, a map or a set'
  if (typeof value === 'string') return 'a lone surrogate'
  return typeof value === 'number' ? '-0, NaN or an infinity' : `a value of type ${typeof value}`
}

/** The 12 bytes of a version. */
export function versionBytes(version: Version): Buffer {
  return Buffer.from(version, 'hex')
}

/** A version to compare with: no bytes for what is no version, which equals none. */
export function knownVersionBytes(version: Version): Buffer {
  return isVersion(version) ? versionBytes(version) : Buffer.alloc(0)
}

/** The expiry as a column holds it. */
export function expiryColumn(expiresAt: number | undefined): number | null {
  return expiresAt === undefined ? null : Math.floor(expiresAt)
}
