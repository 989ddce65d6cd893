import type { CallSettings } from '../contract/call-settings.ts'
import type { Scalar } from '../contract/query.ts'

/** Conditions on one field: all of them must hold. */
export interface FieldCondition {
  readonly eq?: Scalar | undefined
  readonly gt?: string | number | boolean | undefined
  readonly gte?: string | number | boolean | undefined
  readonly lt?: string | number | boolean | undefined
  readonly lte?: string | number | boolean | undefined
  /** Equal to one of these. */
  readonly in?: readonly Scalar[] | undefined
  /** A string that starts so. */
  readonly prefix?: string | undefined
  /** A string with this one anywhere in it, letter for letter. */
  readonly contains?: string | undefined
  /** Whether there is a value, `null` included. */
  readonly exists?: boolean | undefined
}

/**
 * Which records are found: those for which all conditions hold. A name is the path of a field, with dots between the names of
 * properties (`\.` is a dot in a name); `and` and `or` with a list combine conditions.
 *
 * ```ts
 * const where = { tenant: 'acme', at: { gte: from, lt: to }, or: [{ level: 'error' }, { 'source.host': { prefix: 'web-' } }] }
 * ```
 */
export interface Where {
  readonly [path: string]: Scalar | FieldCondition | readonly Where[] | undefined
}

/** Which records are meant. */
export interface Matching {
  /** @default all records of this namespace */
  readonly where?: Where | undefined
}

/** Settings of `find`. */
export interface FindOptions extends CallSettings, Matching {
  /** Paths of fields, `{ desc: path }` from the greatest to the least. Equal records follow each other by key. @default by key */
  readonly orderBy?: readonly (string | { readonly desc: string })[] | undefined
  /** Most records of the answer, at most 10,000. @default 100 */
  readonly limit?: number | undefined
  /** Continue after the page that gave this cursor; needs the same store, namespace, `where` and `orderBy`. */
  readonly after?: string | undefined
  /** Allow the query where the store cannot run it: all records of the namespace are read. @default false */
  readonly scan?: boolean | undefined
}

/** Settings of `aggregate`. */
export interface AggregateOptions extends CallSettings, Matching {
  /** Path of the field of `sum`, `min` and `max`. */
  readonly of?: string | undefined
  /** As for `find`. @default false */
  readonly scan?: boolean | undefined
}

/** Permission to read all records, where the store cannot run the query. */
export interface ByScan {
  readonly scan: true
}
