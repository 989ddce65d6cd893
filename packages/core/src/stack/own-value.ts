import { documentText } from '../codecs/document-text.ts'
import type { Json } from '../codecs/json.ts'
import type { Bytes } from '../contract/bytes.ts'
import type { Mutation } from '../contract/store.ts'
import { isBytes } from '../platform/realms.ts'

/**
 * A mutation that may wait before it is sent: its value is a copy, so that what goes out does not change with what the
 * caller holds. (`slice` of a Buffer would be a view.)
 */
export function withOwnValue<M extends Mutation<Bytes>>(mutation: M): M {
  return mutation.type === 'set' ? { ...mutation, value: Buffer.from(mutation.value) } : mutation
}

/** A copy that only its receiver holds. A value that is not a document is passed on, so that the store rejects it. */
export function ownValue(value: unknown): unknown {
  const own = another(value)
  if (own !== value || typeof value !== 'object') return own
  try {
    return structuredClone(value)
  } catch {
    return value
  }
}

/** A copy of bytes or of a document; any other value as it is. */
export function another(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Buffer.isBuffer(value)) return Buffer.from(value)
  if (isBytes(value)) return new Uint8Array(value)
  try {
    return JSON.parse(documentText(value as Json))
  } catch {
    return value
  }
}
