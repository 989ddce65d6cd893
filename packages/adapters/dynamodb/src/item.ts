import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Entry, SetMutation, Version } from '@unikv/core'
import { notARecord, versionBytes } from '@unikv/core/adapter'
import type { ValueAttribute, ValueForm } from './value-form.ts'

/*
 * A record is an item:
 *
 *   k           B  the canonical key, the partition key of the table
 *   version     B  12 bytes
 *   expires_at  N  milliseconds since the epoch; absent: never
 *   ttl         N  seconds, for the removal by DynamoDB itself
 *   value          B, or N for the decimal text of a safe integer; `document` with values: 'document'
 */

/** The attributes of an item. */
export type Item = Record<string, AttributeValue>

/** Longest item in bytes, names of attributes included. */
const maxItemBytes = 400 * 1024
/** Longest partition key in bytes. */
export const maxKeyBytes = 2_048
/** Most bytes that a number takes. */
const numberBytes = 21
/** Longest value that fits with any key and expiry. */
export const maxValueBytes: number =
  maxItemBytes -
  ('k'.length + maxKeyBytes) -
  ('version'.length + 12) -
  ('expires_at'.length + numberBytes) -
  ('ttl'.length + numberBytes) -
  'value'.length

/** A record without its value. */
export interface Head {
  readonly version: Version
  readonly expiresAt: number | undefined
}

/** The partition key of a canonical key. */
export function keyOf(key: string): { readonly k: AttributeValue } {
  return { k: { B: Buffer.from(key, 'utf8') } }
}

/** The canonical key of an item; `undefined` if it has none of ours. */
export function canonicalKeyOf({ k }: Item): string | undefined {
  const bytes = k?.B
  if (bytes === undefined) return undefined
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = key.toString('utf8')
  return Buffer.from(text, 'utf8').equals(key) ? text : undefined
}

/** The item that a set leaves, with its value in this attribute. */
export function itemOf(
  { key, value, version, expiresAt }: SetMutation<AttributeValue>,
  attribute: ValueAttribute,
): Item {
  const expiry = expiryOf(expiresAt === 'keep' ? undefined : expiresAt)
  return { ...keyOf(key), version: { B: versionBytes(version) }, [attribute]: value, ...expiry }
}

/** The expiry as attributes. */
export function expiryOf(expiresAt: number | undefined): Item {
  if (expiresAt === undefined) return {}
  const ms = Math.max(1, Math.floor(expiresAt))
  return { expires_at: { N: String(ms) }, ttl: { N: String(Math.ceil(ms / 1_000)) } }
}

/**
 * Version and expiry of an item.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function headOf({ version, expires_at: expires }: Item): Head {
  const bytes = version?.B
  const expiresAt = expires === undefined ? undefined : Number(expires.N)
  if (bytes?.length !== 12 || Number.isNaN(expiresAt)) throw notARecord()
  return { version: Buffer.from(bytes).toString('hex'), expiresAt }
}

/**
 * The entry of an item.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function entryOf<V>(item: Item, form: ValueForm<V>): Entry<V> {
  const head = headOf(item)
  const attribute = item[form.attribute]
  const value = attribute === undefined ? undefined : form.fromAttribute(attribute)
  if (value === undefined) throw notARecord()
  return { value, ...head }
}

/** Whether a record is absent by now. */
export function isExpired({ expiresAt }: Head, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}
