import type {
  FieldOrder,
  FieldPath,
  OrderValue,
  Position,
  Predicate,
  QueryPage,
  Scalar,
  Totals,
} from '../contract/query.ts'
import { compareKeys } from '../keys/canonical-key.ts'
import { classOf } from '../platform/realms.ts'

// The meaning of queries: every store that compiles them answers the same, and `scan: true` runs this.

/** The value at a path: `undefined` where there is none. */
function valueAt(value: unknown, path: FieldPath): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, name))
      return undefined
    at = (at as Readonly<Record<string, unknown>>)[name]
  }
  return at
}

/** The place of the value at a path. A date counts as the text that JSON makes of it. */
export function orderValueAt(value: unknown, path: FieldPath): OrderValue {
  const at = valueAt(value, path)
  if (at === undefined) return [0]
  if (at === null) return [1]
  if (typeof at === 'boolean') return [2, at]
  if (typeof at === 'number' && Number.isFinite(at)) return [3, at + 0]
  if (typeof at === 'string') return [4, at]
  const text = classOf(at) === 'Date' ? (at as Date).toJSON() : null
  return text === null ? [5] : [4, text]
}

/** The place of a value that a condition compares with. */
export function placeOf(value: Scalar): OrderValue {
  return orderValueAt(value, [])
}

/** The order of values: by type, then numbers by size and strings by UTF-8 bytes. */
export function compareValues([rankA, a]: OrderValue, [rankB, b]: OrderValue): number {
  if (rankA !== rankB || a === undefined || b === undefined) return rankA - rankB
  return typeof a === 'string' ? compareKeys(a, b as string) : Number(a) - Number(b)
}

/** Whether a record is found. */
export function matches(value: unknown, predicate: Predicate): boolean {
  if ('parts' in predicate) {
    const { kind, parts } = predicate
    return kind === 'and'
      ? parts.every((part) => matches(value, part))
      : parts.some((part) => matches(value, part))
  }
  const place = orderValueAt(value, predicate.path)
  if (predicate.kind === 'exists') return place[0] > 0 === predicate.exists
  if (predicate.by === 'contains')
    return typeof place[1] === 'string' && place[1].includes(String(predicate.value))
  const wanted = placeOf(predicate.value)
  return place[0] === wanted[0] && comparisons[predicate.by](compareValues(place, wanted))
}

const comparisons: Readonly<Record<'eq' | 'gt' | 'gte' | 'lt' | 'lte', (order: number) => boolean>> = {
  eq: (order) => order === 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

/** The place of a record in this order. */
export function positionOf(key: string, value: unknown, orderBy: readonly FieldOrder[]): Position {
  return { key, values: orderBy.map(({ path }) => orderValueAt(value, path)) }
}

/** The order of two records. */
function comparePositions(a: Position, b: Position, orderBy: readonly FieldOrder[]): number {
  for (const [i, { descending }] of orderBy.entries()) {
    const order = compareValues(a.values[i] as OrderValue, b.values[i] as OrderValue)
    if (order !== 0) return descending ? -order : order
  }
  return compareKeys(a.key, b.key)
}

/** The first records of a page, of all that are handed in. */
export class PageOf<T> {
  readonly #page: QueryPage
  #kept: { readonly position: Position; readonly item: T }[] = []

  constructor(page: QueryPage) {
    this.#page = page
  }

  /** One record that is found. */
  add(position: Position, item: T): void {
    const { after, limit, orderBy } = this.#page
    if (after !== undefined && comparePositions(position, after, orderBy) <= 0) return
    this.#kept.push({ position, item })
    if (this.#kept.length >= 2 * limit + 1000) this.#cut()
  }

  /** The records in order, and the place of the last one if there may be more. */
  end(): { readonly items: readonly T[]; readonly last: Position | undefined } {
    this.#cut()
    const last = this.#kept.length < this.#page.limit ? undefined : this.#kept.at(-1)?.position
    return { items: this.#kept.map(({ item }) => item), last }
  }

  #cut(): void {
    const { limit, orderBy } = this.#page
    this.#kept.sort((a, b) => comparePositions(a.position, b.position, orderBy))
    this.#kept.splice(limit)
  }
}

/** Totals over the records that are handed in. */
export class TotalsOf {
  #count = 0
  #sum = 0
  #min: OrderValue | undefined
  #max: OrderValue | undefined

  /** One record that is found: the place of its value, if a field was asked for. */
  add(place: OrderValue | undefined): void {
    this.#count++
    const value = place?.[1]
    if (place === undefined || value === undefined) return
    if (typeof value === 'number') this.#sum += value
    if (this.#min === undefined || compareValues(place, this.#min) < 0) this.#min = place
    if (this.#max === undefined || compareValues(place, this.#max) > 0) this.#max = place
  }

  /** Over all that were added. */
  end(): Totals {
    return { count: this.#count, sum: this.#sum, min: this.#min?.[1], max: this.#max?.[1] }
  }
}
