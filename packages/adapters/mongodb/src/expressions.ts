import type { IncrementMutation } from '@unikv/core'
import type { Document } from 'mongodb'
import type { MongodbRecord } from './record.ts'

/*
 * Aggregation expressions, evaluated by the server on the record as it is in that moment, with the clock of the server.
 * Whatever comes from the caller stands in a `$literal`: it may look like an expression.
 */

/**
 * The record does not expire, or not yet; what is no date is no live record. As numbers: SecantusDB finds no order between
 * `$$NOW` and a stored date.
 */
export const live: Document = {
  $gt: [
    { $convert: { input: '$expiresAt', to: 'long', onNull: Number.MAX_SAFE_INTEGER, onError: 0 } },
    { $toLong: '$$NOW' },
  ],
}

/** There is no record: none at all (an upsert makes one), or one that has expired. */
const absent: Document = { $or: [{ $lte: ['$version', null] }, { $not: [live] }] }

const keptExpiry: Document = { $cond: [live, '$expiresAt', '$$REMOVE'] }

/** The update that puts a record in place of another one and keeps its expiry, if it has not come. */
export function keeping({ version, value }: MongodbRecord): readonly Document[] {
  return [
    {
      $replaceWith: {
        _id: '$_id',
        version: { $literal: version },
        value: { $literal: value },
        expiresAt: keptExpiry,
      },
    },
  ]
}

/** The update that makes a record where there is none, and changes nothing where there is one. */
export function creating(record: MongodbRecord): readonly Document[] {
  return [{ $replaceWith: { $cond: [absent, { $literal: record }, '$$ROOT'] } }]
}

/**
 * The update that adds to a counter, starts a missing one, and changes nothing where it may not: what is no counter,
 * what would be no safe integer, and with `onlyNew` what is there.
 */
export function counting(mutation: IncrementMutation, onlyNew: boolean): readonly Document[] {
  const { version, by, initial, expiresAt } = mutation
  const now: Document = { $cond: [absent, { $literal: initial }, '$value'] }
  const sum: Document = { $add: [now, { $literal: by }] }
  const first = expiresAt === undefined ? '$$REMOVE' : { $literal: new Date(Math.floor(expiresAt)) }
  const counted: Document = {
    _id: '$_id',
    version: { $literal: version },
    value: sum,
    expiresAt: { $cond: [absent, first, '$expiresAt'] },
  }
  const allowed = [...(onlyNew ? [absent] : []), ...safeInteger(now), ...safeRange(sum)]
  return [{ $replaceWith: { $cond: [{ $and: allowed }, counted, '$$ROOT'] } }]
}

/** The version of a record, and its value if that is a number. */
export const versionAndNumber: Document = {
  version: 1,
  value: { $cond: [{ $in: [{ $type: '$value' }, ['int', 'long', 'double']] }, '$value', '$$REMOVE'] },
}

function safeInteger(number: Document): readonly Document[] {
  const isNumber: Document = { $in: [{ $type: number }, ['int', 'long', 'double']] }
  return [isNumber, ...safeRange(number), { $eq: [number, { $trunc: [number] }] }]
}

/** Sums of two safe integers are exact enough as doubles to be told from safe ones; NaN is below every number. */
function safeRange(number: Document): readonly Document[] {
  return [{ $gte: [number, Number.MIN_SAFE_INTEGER] }, { $lte: [number, Number.MAX_SAFE_INTEGER] }]
}
