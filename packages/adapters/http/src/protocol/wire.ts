import {
  type Bytes,
  isConditionFailed,
  isEntry,
  isStoreError,
  isVersion,
  type ReadResult,
  type StoreError,
  type Totals,
  toStoreError,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { errorIn, type Problem, problemOf } from './problems.ts'

// Records and results of batches and listings as JSON: what the server writes and the client reads.

/** A value: bytes as base64, or JSON where the store has JSON or text. */
export type WireValue = { readonly base64: string } | { readonly value: unknown }

/** The result of one read; `null`: there is no record. */
export type WireRead = WireFound | { readonly error: Problem } | null

/** A record, or that it is as the reader knows it. */
export type WireFound = (WireValue | { readonly notModified: true }) & {
  readonly version?: string | undefined
  readonly expiresAt?: number | undefined
}

/** The result of one change. */
export type WireWrite =
  | {
      readonly version?: string | undefined
      /** After an increment. */
      readonly number?: number | undefined
      readonly expiresAt?: number | undefined
      readonly existed?: boolean | undefined
    }
  | { readonly conditionFailed: true; readonly version?: string | undefined }
  | { readonly error: Problem }

/** A record of a listing. */
export type WireEntry = { readonly key: string } & (WireFound | { readonly error: Problem } | object)

/** The bytes of base64; `undefined`: it is none. Node.js skips other characters, so a value would be another one. */
export function bytesIn(base64: unknown): Buffer | undefined {
  if (typeof base64 !== 'string') return undefined
  const bytes = Buffer.from(base64, 'base64')
  const digits = base64.length - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
  return digits % 4 !== 1 && bytes.length === Math.floor((digits * 3) / 4) ? bytes : undefined
}

/** Makes the JSON of a read. */
export async function wireRead(
  result: ReadResult<unknown>,
  value: (value: unknown) => Promise<WireValue>,
): Promise<WireRead> {
  if (result === undefined) return null
  if (isStoreError(result)) return { error: problemOf(result) }
  const { version, expiresAt } = result
  if (!isEntry(result)) return { notModified: true, version, expiresAt }
  try {
    return { ...(await value(result.value)), version, expiresAt }
  } catch (error) {
    // One value that cannot be sent does not hide its neighbours.
    return { error: problemOf(toStoreError(error, { code: 'INVALID_VALUE' })) }
  }
}

/** Makes the JSON of a write. */
export function wireWrite(result: WriteResult): WireWrite {
  if (isStoreError(result)) return { error: problemOf(result) }
  if (isConditionFailed(result)) return { conditionFailed: true, version: result.version }
  const { version, value, expiresAt, existed } = result
  return { version, number: value, expiresAt, existed }
}

/** Makes the JSON of totals, which has no number that is not finite. */
export function wireTotals({ sum, ...others }: Totals): object {
  return { ...others, sum: Number.isFinite(sum) ? sum : String(sum) }
}

/** Reads the JSON of totals. */
export function totalsIn(wire: unknown): Totals {
  const { count, sum, min, max } = fields(wire)
  const isSum = typeof sum === 'number' || ['Infinity', '-Infinity', 'NaN'].includes(sum as string)
  const isCount = Number.isSafeInteger(count) && (count as number) >= 0
  if (!isCount || !isSum || !isExtreme(min) || !isExtreme(max)) throw unreadable()
  return { count: count as number, sum: Number(sum), min, max }
}

function isExtreme(told: unknown): told is Totals['min'] {
  return ['undefined', 'boolean', 'number', 'string'].includes(typeof told)
}

/** Reads the JSON of a read, of a store of bytes. */
export function readResultIn(wire: unknown): ReadResult<Bytes> {
  if (wire === null) return undefined
  const { error, notModified, base64, version, expiresAt } = fields(wire)
  if (error !== undefined) return errorOf(error)
  const known = { version: versionIn(version), expiresAt: timeIn(expiresAt) }
  if (notModified === true) return { notModified, ...known }
  const value = bytesIn(base64)
  if (value === undefined) throw unreadable()
  return { value, ...known }
}

/** Reads the JSON of a write. */
export function writeResultIn(wire: unknown): WriteResult {
  const { error, conditionFailed, version, number, expiresAt, existed } = fields(wire)
  if (error !== undefined) return errorOf(error)
  if (conditionFailed === true) return { conditionFailed, version: versionIn(version) }
  const isNumber = number === undefined || Number.isSafeInteger(number)
  if (version === undefined || !isNumber || !(existed === undefined || typeof existed === 'boolean'))
    throw unreadable()
  return {
    version: versionIn(version),
    value: number as number | undefined,
    expiresAt: timeIn(expiresAt),
    existed,
  }
}

/** A version as an answer tells it. */
export function versionIn(told: unknown): Version | undefined {
  if (told === undefined || isVersion(told)) return told
  throw unreadable()
}

/** An expiry as an answer tells it. */
export function timeIn(told: unknown): number | undefined {
  if (told === undefined || (typeof told === 'number' && told >= 0 && told < Number.MAX_SAFE_INTEGER))
    return told
  throw unreadable()
}

function errorOf(error: unknown): StoreError {
  const told = errorIn(error)
  if (told === undefined) throw unreadable()
  return told
}

function fields(wire: unknown): Readonly<Record<string, unknown>> {
  if (typeof wire !== 'object' || wire === null) throw unreadable()
  return wire as Readonly<Record<string, unknown>>
}

/** The caller makes of it what an odd answer is. */
function unreadable(): Error {
  return new Error('The answer has another form.')
}
