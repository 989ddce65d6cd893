// A query as a store gets it: checked, and made of few parts, so that every store compiles the same.

/** A value that conditions compare with. */
export type Scalar = string | number | boolean | null

/** Names of properties from the outside in. It leads through objects only, never into an array. */
export type FieldPath = readonly string[]

/** The condition for a record to be found. A comparison holds for values of the same type only. */
export type Predicate =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Predicate[] }
  | { readonly kind: 'exists'; readonly path: FieldPath; readonly exists: boolean }
  | {
      readonly kind: 'compare'
      readonly path: FieldPath
      /** `contains`: a string that holds this one, which is not empty. */
      readonly by: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains'
      readonly value: Scalar
    }

/** One field of an order. Records that are equal in all fields follow each other by key. */
export interface FieldOrder {
  readonly path: FieldPath
  readonly descending: boolean
}

/**
 * The place of a value in the order: the rank of its type, and the value where values of this type are ordered. Ranks: 0 missing,
 * 1 `null`, 2 booleans, 3 numbers, 4 strings, 5 arrays and objects.
 */
export type OrderValue = readonly [rank: number, value?: string | number | boolean]

/** The place of a record among those found. */
export interface Position {
  /** Aligned with the order of the query. */
  readonly values: readonly OrderValue[]
  readonly key: string
}

/** Which records are meant: those with canonical keys from `start` on, and before `end`. */
export interface StoreQuery {
  readonly start: string
  readonly end: string | undefined
  readonly where: Predicate
  /** The records wanted; without it, totals are. */
  readonly page?: QueryPage | undefined
  /** The field of the totals; none: records are only counted. */
  readonly of?: FieldPath | undefined
}

/** The part of the records found that is wanted. */
export interface QueryPage {
  readonly orderBy: readonly FieldOrder[]
  readonly after: Position | undefined
  readonly limit: number
}

/** Totals over the records found. */
export interface Totals {
  /** Records found. */
  readonly count: number
  /** Sum of the numbers in the field; other values do not count. */
  readonly sum: number
  /** Least of the booleans, numbers and strings in the field; `undefined` if there are none. */
  readonly min: string | number | boolean | undefined
  /** Greatest of the booleans, numbers and strings in the field. */
  readonly max: string | number | boolean | undefined
}
