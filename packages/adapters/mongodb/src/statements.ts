import { type SetMutation, StoreError } from '@unikv/core'
import type { Document } from 'mongodb'
import type { Backend } from './backend.ts'
import { keeping } from './expressions.ts'
import { type MongodbRecord, maxRecordBytes, recordOverheadBytes } from './record.ts'

/** A record that is about to be written, and its bytes, amply. */
export interface Outgoing {
  readonly record: MongodbRecord
  readonly bytes: number
}

/**
 * The record of a set.
 *
 * @throws {StoreError} `INVALID_VALUE`, `VALUE_TOO_LARGE`
 */
export function outgoing<V>({ form, maxValueBytes }: Backend<V>, mutation: SetMutation<V>): Outgoing {
  const { key, version, expiresAt, value: given } = mutation
  const { value, bytes } = form.toField(given)
  if (bytes > maxValueBytes)
    throw new StoreError(
      'VALUE_TOO_LARGE',
      `The value has ${bytes} bytes; the store allows ${maxValueBytes}.`,
    )
  const expiry = expiresAt === 'keep' ? {} : expiryOf(expiresAt)
  return { record: { _id: key, version, ...expiry, value }, bytes: bytes + recordOverheadBytes }
}

/** The expiry as a record holds it. */
export function expiryOf(expiresAt: number | undefined): { readonly expiresAt?: Date } {
  return expiresAt === undefined ? {} : { expiresAt: new Date(Math.floor(expiresAt)) }
}

/** The statement of an update that replaces any record, or makes one. */
export function putting({ record }: Outgoing, keep: boolean): Document {
  return { q: { _id: record._id }, u: keep ? keeping(record) : fieldsOf(record), upsert: true }
}

/** A record without its key, which the server takes from the query. */
function fieldsOf({ version, expiresAt, value }: MongodbRecord): Omit<MongodbRecord, '_id'> {
  return expiresAt === undefined ? { version, value } : { version, expiresAt, value }
}

/** Cut writes into commands of at most 16 MiB. */
export function parts<T extends { readonly bytes: number }>(items: readonly T[]): readonly (readonly T[])[] {
  const cut: T[][] = []
  let room = 0
  for (const item of items) {
    if (item.bytes > room) {
      cut.push([])
      room = maxRecordBytes
    }
    cut.at(-1)?.push(item)
    room -= item.bytes
  }
  return cut
}
