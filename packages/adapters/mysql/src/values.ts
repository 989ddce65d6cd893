import type { Bytes, Json } from '@unikv/core'
import { documentText, type Scratch } from '@unikv/core/adapter'
import { documentOf } from '@unikv/core/sql-client'

/** How values travel: bytes as they are, documents as JSON text. */
export interface ValueForm<V> {
  readonly documents: boolean
  /** How much `scratch` a value needs in `toParameter`, in bytes. */
  scratchBytes(value: V): number
  /** The parameter of a statement: a copy, in `scratch` if given. */
  toParameter(value: V, scratch?: Scratch): Buffer
  /** @throws {StoreError} `CORRUPT` */
  fromColumn(column: Buffer): V
}

export const bytesForm: ValueForm<Bytes> = {
  documents: false,
  scratchBytes: ({ length }) => length,
  toParameter(value, scratch) {
    if (scratch === undefined) return Buffer.from(value)
    const copy = scratch.take(value.length)
    copy.set(value)
    return copy
  },
  fromColumn: (column) => column,
}

export const documentForm: ValueForm<Json> = {
  documents: true,
  scratchBytes: () => 0,
  toParameter: (value) => Buffer.from(documentText(value)),
  fromColumn: documentOf,
}

/**
 * A key as a parameter. Text of ASCII is the same in the character set of every client, and costs less than bytes of its
 * own do.
 */
export function keyParameter(key: string): string | Buffer {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > 0x7f) return Buffer.from(key)
  return key
}
