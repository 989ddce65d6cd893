import { type Json, StoreError } from '@unikv/core'
import { isPlainObject } from '@unikv/core/platform'

/** MongoDB takes 100 levels of nesting; the record is one of them. */
const maxLevels = 96

/**
 * The bytes of JSON data as BSON.
 *
 * @throws {StoreError} `INVALID_VALUE` for what the driver would take for something else, and for too many levels
 */
export function bsonBytes(value: Json, level = 0): number {
  if (value === null) return 0
  if (typeof value === 'string') return 5 + Buffer.byteLength(value)
  if (typeof value === 'number') return isInt32(value) ? 4 : 8
  if (typeof value === 'boolean') return 1
  if (level === maxLevels) throw refused(`more than ${maxLevels} levels of nesting`)
  checkNames(value as Readonly<Record<string, unknown>>)
  let bytes = 5
  for (const [name, item] of Object.entries(value))
    bytes += 2 + Buffer.byteLength(name) + bsonBytes(item as Json, level + 1)
  return bytes
}

/** Whether a value that was read is JSON data, as all is that we wrote. */
export function isJson(value: unknown): value is Json {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null)
    return value === null || ['string', 'boolean'].includes(typeof value)
  if (Array.isArray(value)) return value.every(isJson)
  return isPlainObject(value) && Object.values(value).every(isJson)
}

/** The driver writes these as numbers of 32 bits, all others as doubles. */
function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
}

function checkNames(value: Readonly<Record<string, unknown>>): void {
  if (Object.hasOwn(value, '_bsontype')) throw refused('a property named _bsontype')
  if (Object.hasOwn(value, '$ref') && Object.hasOwn(value, '$id'))
    throw refused('an object with both $ref and $id, which the driver reads as a reference')
  if (Object.keys(value).some((name) => name.includes('\0')))
    throw refused('U+0000 in the name of a property')
}

function refused(what: string): StoreError {
  return new StoreError('INVALID_VALUE', `A document in MongoDB cannot hold ${what}.`)
}
