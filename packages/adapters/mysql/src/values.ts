import type { Bytes, Json } from '@unikv/core'
import { corrupt, documentText, type Scratch } from '@unikv/core/adapter'

/** How values travel: bytes as they are, documents as JSON text. */
export interface ValueForm<V> {
  readonly documents: boolean
  /** How much `scratch` a value needs in `toParameter`, in bytes. */
  scratchBytes(value: V): number
  /** What is bound to a statement: a copy, in `scratch` if given. */
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
  fromColumn(column) {
    try {
      return JSON.parse(column.toString()) as Json
    } catch (cause) {
      throw corrupt('The column `value`', 'does not hold JSON', cause)
    }
  },
}

/**
 * A key as a parameter. Text of ASCII is the same in the character set of every client, and costs less than bytes of its
 * own do.
 */
export function keyParameter(key: string): string | Buffer {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > 0x7f) return Buffer.from(key)
  return key
}

/** The expiry as a column holds it. */
export function expiryColumn(expiresAt: number | undefined): number | null {
  return expiresAt === undefined ? null : Math.floor(expiresAt)
}
