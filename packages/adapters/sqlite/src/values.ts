import {
  type Bytes,
  isEntry,
  isStoreError,
  type Json,
  type Mutation,
  type ReadResult,
  type StoreError,
} from '@unikv/core'
import { documentText, notARecord } from '@unikv/core/adapter'
import type { Stored } from './jobs.ts'

/** How the values of a store look in its table. */
export interface ValueForm<V> {
  /** Values are stored as they are. */
  readonly isStored: boolean
  /** The stored form, apart from the caller's. @throws {StoreError} `INVALID_VALUE` */
  readonly encode: (value: V) => Stored
  /** The value of an entry, or the error of what is none. */
  readonly decode: (stored: Stored) => V | StoreError
}

/** Bytes as they are. */
export const bytesForm: ValueForm<Bytes> = {
  isStored: true,
  encode: (value) => value,
  decode(stored) {
    // From another thread it comes as a plain view.
    if (Buffer.isBuffer(stored)) return stored
    return typeof stored === 'string'
      ? notARecord()
      : Buffer.from(stored.buffer, stored.byteOffset, stored.length)
  },
}

/** Documents as JSON text. */
export const documentForm: ValueForm<Json> = {
  isStored: false,
  encode: documentText,
  decode(stored) {
    try {
      return JSON.parse(stored as string) as Json
    } catch {
      return notARecord()
    }
  },
}

/** A mutation as it is stored. */
export function encoded<V>(form: ValueForm<V>, mutation: Mutation<V>): Mutation<Stored> {
  if (form.isStored) return mutation as Mutation<Stored>
  return mutation.type === 'set' ? { ...mutation, value: form.encode(mutation.value) } : mutation
}

/** A result as it is read. */
export function decoded<V>(form: ValueForm<V>, result: ReadResult<Stored>): ReadResult<V> {
  if (!isEntry(result)) return result
  const value = form.decode(result.value)
  return isStoreError(value) ? value : { value, version: result.version, expiresAt: result.expiresAt }
}
