import { types } from 'node:util'
import { type Entry, type NotModified, type StoreError, toStoreError, type Version } from '@unikv/core'
import { corrupt } from '@unikv/core/adapter'
import type { ValueForm } from './values.ts'

/** A record as it stands in the collection. */
export interface MongodbRecord {
  /** The canonical key. */
  readonly _id: string
  /** 24 hexadecimal digits. */
  readonly version: Version
  /** Absent: never. */
  readonly expiresAt?: Date
  /** Binary data or a number (`values: 'bytes'`), or the document. Absent in answers that leave it out. */
  readonly value?: unknown
}

/** Largest document of MongoDB. */
export const maxRecordBytes: number = 16 * 1024 * 1024
/** Key, version, expiry and the names of the fields in a record, amply. */
export const recordOverheadBytes = 2_048

/** Whether a document is one of ours. */
export function isOurs({ _id, version }: { readonly _id?: unknown; readonly version?: unknown }): boolean {
  return typeof _id === 'string' && typeof version === 'string'
}

/** The entry of a record that was read with its value, or an error if it makes no sense. */
export function entryOf<V>(record: MongodbRecord, form: ValueForm<V>): Entry<V> | StoreError {
  if (!isOurs(record) || !isExpiry(record.expiresAt)) return corrupt('The document')
  try {
    const value = form.fromField(record.value)
    return { value, version: record.version, expiresAt: record.expiresAt?.getTime() }
  } catch (error) {
    return toStoreError(error, { code: 'CORRUPT' })
  }
}

/** The head of a record that was read without its value. */
export function headOf(record: MongodbRecord): NotModified | StoreError {
  if (!isOurs(record) || !isExpiry(record.expiresAt)) return corrupt('The document')
  return { notModified: true, version: record.version, expiresAt: record.expiresAt?.getTime() }
}

/** Whether this can be the expiry of a record. */
export function isExpiry(expiresAt: unknown): boolean {
  return expiresAt === undefined || types.isDate(expiresAt)
}
