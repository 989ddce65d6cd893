import { StoreError } from '../contract/errors.ts'
import type { FieldOrder, OrderValue, Position, StoreQuery } from '../contract/query.ts'

/** The query that a cursor belongs to. */
export interface Bound {
  readonly store: string
  readonly query: StoreQuery
  readonly orderBy: readonly FieldOrder[]
}

/** A cursor for the outside: a place in the order, bound to the store, the namespace and the query. */
export function cursorOf(bound: Bound, { key, values }: Position): string {
  return Buffer.from(JSON.stringify([format, fingerprint(bound), key, values])).toString('base64url')
}

/** @throws {StoreError} `INVALID_ARGUMENT` if this is not a cursor of this query */
export function positionIn(bound: Bound, cursor: unknown): Position {
  const [version, belongsTo, key, values] = parse(cursor)
  const isOurs = version === format && belongsTo === fingerprint(bound)
  const position: unknown = { key, values }
  if (isOurs && isPosition(position, bound.orderBy)) return position
  throw new StoreError(
    'INVALID_ARGUMENT',
    'The cursor `after` belongs to another store, namespace or query. Start without it.',
  )
}

const format = 2

/** Whether this is a place in such an order. */
export function isPosition(given: unknown, orderBy: readonly FieldOrder[]): given is Position {
  const { key, values } = Object(given) as Partial<Record<keyof Position, unknown>>
  const isText = typeof key === 'string' && Array.isArray(values)
  return isText && values.length === orderBy.length && values.every(isPlace)
}

function isPlace(given: unknown): given is OrderValue {
  const types = ['undefined', 'undefined', 'boolean', 'number', 'string', 'undefined']
  return (
    Array.isArray(given) &&
    given.length <= 2 &&
    typeof given[0] === 'number' &&
    types[given[0]] === typeof given[1]
  )
}

/** Tells queries apart, without showing their values. Attackers gain nothing: no cursor leads to a record that its query does not find. */
function fingerprint({ store, query: { start, where }, orderBy }: Bound): string {
  return fingerprintOf(JSON.stringify([store, start, where, orderBy]))
}

/** At most 14 digits and small letters that differ for texts that differ, unless somebody looks for two that do not. */
export function fingerprintOf(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let i = 0; i < text.length; i++) {
    high = Math.imul(high ^ text.charCodeAt(i), 0x9e3779b1)
    low = Math.imul(low ^ text.charCodeAt(i), 0x5f356495)
  }
  return ((high ^ (low >>> 16)) >>> 0).toString(36) + ((low ^ (high >>> 13)) >>> 0).toString(36)
}

function parse(cursor: unknown): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(cursor), 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
