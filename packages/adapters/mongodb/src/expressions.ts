import type { IncrementMutation } from '@unikv/core'
import type { Document } from 'mongodb'
import type { MongodbRecord } from './record.ts'

/*
 * Aggregation expressions, evaluated by the server on the record as it is in that moment, with the clock of the server.
 * Every part that comes from the caller and may look like an expression stands in a `$literal`.
 */

/**
 * The record does not expire, or not yet; a record whose expiry is not a date does not live. As numbers: SecantusDB finds no
 * order between `$$NOW` and a stored date.
 */
export const live: Document = {
  $gt: [
    { $convert: { input: '$expiresAt', to: 'long', onNull: Number.MAX_SAFE_INTEGER, onError: 0 } },
    { $toLong: '$$NOW' },
  ],
}

/** Most records do not expire: to see that takes the server no expression, which costs as much as to find one record. */
const isLive: Document = Object.freeze({ $match: { $or: [{ expiresAt: null }, { $expr: live }] } })
/** The same in fewer bytes, and more of the server's time. */
const isLiveInShort: Document = Object.freeze({ $match: { $expr: live } })

/**
 * Stages that find live records, `inShort` if they should send little. The keys come first, by themselves: SecantusDB finds
 * no index beside an expression.
 */
export function liveAt(_id: Document | string, inShort = false): readonly [Document, Document] {
  return [{ $match: { _id } }, inShort ? isLiveInShort : isLive]
}

/** The stage that leaves the value of a record out if it has this version. Short, as it is most of what a revalidation sends. */
export function valueUnless(version: string): Document {
  const known = version.startsWith('$') ? { $literal: version } : version
  return { $set: { value: { $cond: [{ $eq: ['$version', known] }, '$$REMOVE', '$value'] } } }
}

/** The record has expired. */
const expired: Document = { $not: [live] }

const keptExpiry: Document = { $cond: [live, '$expiresAt', '$$REMOVE'] }

/** The update that puts a record in place of another one and keeps its expiry, if it has not come. */
export function keeping(record: MongodbRecord): readonly Document[] {
  return [{ $replaceWith: kept(record) }]
}

/** The update that puts a record in place of an expired one, and changes nothing of a live one. */
export function creating(record: MongodbRecord): readonly Document[] {
  return [{ $replaceWith: { $cond: [expired, { $literal: record }, '$$ROOT'] } }]
}

/** The update that puts a record in place of the live one with this version, and changes nothing of another one. */
export function replacing(record: MongodbRecord, version: string, keep: boolean): readonly Document[] {
  const put = keep ? kept(record) : { $literal: record }
  return [{ $replaceWith: { $cond: [isLiveAt(version), put, '$$ROOT'] } }]
}

/** The update that gives a live record another expiry (with this version, if one is named). */
export function touching(expiresAt: Date | undefined, version: string | undefined): readonly Document[] {
  const given = expiresAt === undefined ? '$$REMOVE' : { $literal: expiresAt }
  return [{ $set: { expiresAt: { $cond: [isLiveAt(version), given, '$expiresAt'] } } }]
}

function isLiveAt(version: string | undefined): Document {
  return version === undefined ? live : { $and: [{ $eq: ['$version', { $literal: version }] }, live] }
}

function kept({ version, value }: MongodbRecord): Document {
  return {
    _id: '$_id',
    version: { $literal: version },
    value: { $literal: value },
    expiresAt: keptExpiry,
  }
}

/**
 * The update that adds to a counter, starts an expired one, and changes nothing where it may not: if the value is not a
 * counter, if the sum would not be a safe integer, and with `onlyNew` if there is a record.
 */
export function counting(mutation: IncrementMutation, onlyNew: boolean): readonly Document[] {
  const { version, by, initial, expiresAt } = mutation
  const now: Document = { $cond: [expired, { $literal: initial }, '$value'] }
  const sum: Document = { $add: [now, { $literal: by }] }
  const first = expiresAt === undefined ? '$$REMOVE' : { $literal: new Date(Math.floor(expiresAt)) }
  const counted: Document = {
    _id: '$_id',
    version: { $literal: version },
    value: sum,
    expiresAt: { $cond: [expired, first, '$expiresAt'] },
  }
  const allowed = [...(onlyNew ? [expired] : []), ...safeInteger(now), ...safeRange(sum)]
  return [{ $replaceWith: { $cond: [{ $and: allowed }, counted, '$$ROOT'] } }]
}

/** Version and expiry of a record, and its value if that is a number. */
export const counterFields: Document = {
  version: 1,
  expiresAt: 1,
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
