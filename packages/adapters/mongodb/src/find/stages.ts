import type { StoreQuery } from '@unikv/core'
import {
  type DeclaredIndex,
  type FieldPath,
  fieldName,
  type OrderValue,
  type Predicate,
  placeOf,
  type QueryPage,
  typesIn,
} from '@unikv/core/adapter'
import type { Document } from 'mongodb'
import { liveAt } from '../expressions.ts'

// Queries as stages of an aggregation. First come conditions that an index may serve. They may find too much, as the server also looks into lists and takes
// a missing field for null. Then each field gets a name of its own (f0), and expressions over these decide. Names and values
// stand in a `$literal` or are operands of operators.

/** The stages of a query. They answer records in order, or one document of totals if any record was found. */
export function stagesOf(query: StoreQuery, indexes: readonly DeclaredIndex[]): readonly Document[] {
  const { where, page, of } = query
  const fields = new Fields()
  const $expr = exactly(where, fields)
  const total = of && fields.nameOf(of)
  const places = (page?.orderBy ?? []).map(({ path }, i) => new Place(i, fields.nameOf(path)))
  const [keys, live] = liveAt(keysOf(query))
  const rough = [roughly(where), ...roughlyAfter(query)].filter((part) => part !== undefined)
  const early = page && earlySort(query, page, indexes)
  return [
    { $match: { $and: [keys['$match'], ...rough] } },
    ...(early === undefined ? [] : [{ $sort: early }]),
    live,
    ...fields.stages(),
    { $match: { $expr } },
    ...(page === undefined
      ? [totals(total)]
      : [
          ...fields.placed(places),
          ...beyond(page, places),
          ...(early ? [] : [{ $sort: lateSort(page, places) }]),
          { $limit: page.limit },
          ...removed(places),
        ]),
  ]
}

/** Both ends count for every cursor, as it comes from outside. */
function keysOf({ start, end, page }: StoreQuery): Document {
  const after = page?.orderBy.length === 0 ? page.after : undefined
  return { $gte: start, ...(end !== undefined && { $lt: end }), ...(after && { $gt: after.key }) }
}

/** Where an index with the order begins. */
function roughlyAfter({ where, page }: StoreQuery): readonly Document[] {
  const [first] = page?.orderBy ?? []
  const [rank, value] = page?.after?.values[0] ?? []
  if (first === undefined || value === undefined || !canIndex(first.path)) return []
  if (typesIn(where).get(fieldName(first.path)) !== rank) return []
  return [{ [indexPath(first.path)]: { [first.descending ? '$lte' : '$gte']: value } }]
}

/** The order, where an index has it: by key, or by fields of one type that a declared index ends with, upwards as the keys are. */
function earlySort(
  { where }: StoreQuery,
  { orderBy }: QueryPage,
  indexes: readonly DeclaredIndex[],
): Document | undefined {
  const names = orderBy.map(({ path }) => fieldName(path))
  const found = typesIn(where)
  const isOfOneType = orderBy.every(
    ({ path, descending }) => !descending && (found.get(fieldName(path)) ?? 0) > 1,
  )
  const isIndexed = indexes.some(
    ({ paths }) => paths.slice(-names.length).map(fieldName).join() === names.join(),
  )
  if (names.length > 0 && !(isOfOneType && isIndexed)) return undefined
  return { ...Object.fromEntries(orderBy.map(({ path }) => [indexPath(path), 1])), _id: 1 }
}

/** The fields of a query, by names that no record has. */
class Fields {
  readonly #names = new Map<string, string>()
  readonly #values: Record<string, Document> = {}

  nameOf(path: FieldPath): string {
    const known = this.#names.get(fieldName(path))
    if (known !== undefined) return known
    const name = `f${this.#names.size}`
    this.#names.set(fieldName(path), name)
    this.#values[name] = valueAt(path)
    return name
  }

  /** Each field as it is, which may be missing. */
  stages(): readonly Document[] {
    return this.#names.size === 0 ? [] : [{ $set: this.#values }]
  }

  /** The places of the order in the place of the fields: a list, which has no order, need not be sorted. */
  placed(places: readonly Place[]): readonly Document[] {
    const names = [...this.#names.values()]
    if (places.length === 0) return names.length === 0 ? [] : [{ $unset: names }]
    const gone = names.map((name) => [name, '$$REMOVE'])
    return [{ $set: Object.assign(Object.fromEntries(gone), ...places.map(({ values }) => values)) }]
  }
}

/** The place of records in one field of an order: the rank of its type, and its value where values of this type are ordered. */
class Place {
  readonly rank: string
  readonly value: string
  readonly values: Document

  constructor(index: number, name: string) {
    this.rank = `r${index}`
    this.value = `v${index}`
    const ranks = Object.keys(types).map(Number)
    const isOrdered = { $in: [{ $type: `$${name}` }, ['bool', 'string', ...numbers]] }
    this.values = {
      [this.rank]: ranks.reduce<unknown>(
        (otherwise, rank) => ({ $cond: [hasType(name, rank), rank, otherwise] }),
        5,
      ),
      [this.value]: { $cond: [isOrdered, `$${name}`, '$$REMOVE'] },
    }
  }
}

function lateSort({ orderBy }: QueryPage, places: readonly Place[]): Document {
  const keys = places.flatMap(({ rank, value }, i) => {
    const direction = orderBy[i]?.descending === true ? -1 : 1
    return [
      [rank, direction],
      [value, direction],
    ]
  })
  return { ...Object.fromEntries(keys), _id: 1 }
}

/** The records after the place of a cursor. */
function beyond({ after, orderBy }: QueryPage, places: readonly Place[]): readonly Document[] {
  if (after === undefined || places.length === 0) return []
  const is = (operator: string, name: string, value: unknown): Document => ({
    [operator]: [`$${name}`, { $literal: value }],
  })
  const from = (i: number): Document => {
    const place = places[i]
    if (place === undefined) return is('$gt', '_id', after.key)
    const [rank, value] = after.values[i] as OrderValue
    const sign = orderBy[i]?.descending === true ? '$lt' : '$gt'
    const sameRank = is('$eq', place.rank, rank)
    const isBeyond = value === undefined ? [] : [{ $and: [sameRank, is(sign, place.value, value)] }]
    const same = value === undefined ? [sameRank] : [sameRank, is('$eq', place.value, value)]
    return { $or: [is(sign, place.rank, rank), ...isBeyond, { $and: [...same, from(i + 1)] }] }
  }
  return [{ $match: { $expr: from(0) } }]
}

function removed(places: readonly Place[]): readonly Document[] {
  return places.length === 0 ? [] : [{ $unset: places.flatMap(({ rank, value }) => [rank, value]) }]
}

/** In the order that `totalsOf` takes them. */
export const totalNames = ['count', 'sum', 'min2', 'max2', 'min3', 'max3', 'min4', 'max4'] as const

/** Least and greatest for each type, as the server has another order of types. */
function totals(name: string | undefined): Document {
  const ofType = (rank: number, otherwise: unknown): Document => ({
    $cond: [hasType(name as string, rank), `$${name}`, otherwise],
  })
  const extremes = [2, 3, 4].flatMap((rank) => [
    [`min${rank}`, { $min: ofType(rank, null) }],
    [`max${rank}`, { $max: ofType(rank, null) }],
  ])
  const ofField = name === undefined ? {} : { sum: { $sum: ofType(3, 0) }, ...Object.fromEntries(extremes) }
  return { $group: { _id: null, count: { $sum: 1 }, ...ofField } }
}

/** Property by property, through objects only; names are taken as they are. */
function valueAt(path: FieldPath): Document {
  const step = (holder: unknown, name: string): Document => {
    const field = { $getField: { field: { $literal: name }, input: '$$holder' } }
    const value = { $cond: [{ $eq: [{ $type: '$$holder' }, 'object'] }, field, '$$REMOVE'] }
    return { $let: { vars: { holder }, in: value } }
  }
  return path.reduce<unknown>(step, '$value') as Document
}

const numbers = ['int', 'long', 'double']

/** Whether a value has the type of this rank; 0 is missing, 1 null. */
const types: Readonly<Record<number, readonly string[]>> = {
  0: ['missing'],
  1: ['null'],
  2: ['bool'],
  3: numbers,
  4: ['string'],
}

function hasType(name: string, rank: number): Document {
  return { $in: [{ $type: `$${name}` }, types[rank]] }
}

function exactly(predicate: Predicate, fields: Fields): Document {
  if ('parts' in predicate) {
    const { kind, parts } = predicate
    return { [`$${kind}`]: parts.map((part) => exactly(part, fields)) }
  }
  const name = fields.nameOf(predicate.path)
  if (predicate.kind === 'exists')
    return { [predicate.exists ? '$ne' : '$eq']: [{ $type: `$${name}` }, 'missing'] }
  return compared(name, predicate.by, placeOf(predicate.value))
}

/** A comparison with values of the same type. */
function compared(name: string, by: string, [rank, value]: OrderValue): Document {
  const isOfType = hasType(name, rank)
  if (value === undefined) return isOfType
  const wanted = { $literal: value }
  // The server fails where it looks into anything but a string.
  if (by === 'contains')
    return { $cond: [isOfType, { $gte: [{ $indexOfBytes: [`$${name}`, wanted] }, 0] }, false] }
  return { $and: [isOfType, { [`$${by}`]: [`$${name}`, wanted] }] }
}

/** The condition in the query language, for indexes: it finds all records that are meant, and perhaps others. `undefined`: none. */
function roughly(predicate: Predicate): Document | undefined {
  if ('parts' in predicate) {
    const parts = predicate.parts.map(roughly)
    const known = parts.filter((part) => part !== undefined)
    if (known.length === 0 || (predicate.kind === 'or' && known.length < parts.length)) return undefined
    return { [`$${predicate.kind}`]: known }
  }
  if (predicate.kind === 'exists' || !canIndex(predicate.path)) return undefined
  const { path, by, value } = predicate
  if (by !== 'contains') return { [indexPath(path)]: { [`$${by}`]: value } }
  const $regex = literalPattern(String(value))
  return { [indexPath(path)]: $regex === undefined ? { $gte: '' } : { $regex } }
}

/** Most characters of a pattern: servers limit what they compile. */
const mostPattern = 1000

/** A regular expression that is found wherever the text is; `undefined`: the server takes none for it. */
function literalPattern(text: string): string | undefined {
  if (text.length > mostPattern || text.includes('\u0000')) return undefined
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Whether the names of a path can stand in an index, or in a condition. */
export function canIndex(path: FieldPath): boolean {
  return path.every((name) => !name.includes('.') && !name.startsWith('$'))
}

/** A path as indexes have it. */
export function indexPath(path: FieldPath): string {
  return `value.${path.join('.')}`
}
