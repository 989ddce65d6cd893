import { type Bytes, type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import { fromStructured, toStructured } from '@unikv/core/structured'

/** Data on its way to another thread: bytes as they are, anything else as `structured` writes it. */
export type Packed = { readonly bytes: Bytes } | { readonly text: Bytes }

/**
 * Data ready to cross to another thread. A structured clone would empty class instances silently; `structured` keeps a
 * value or rejects it.
 *
 * @throws {StoreError} `code` if the other thread could not get the same value
 */
export function pack(value: unknown, code: ErrorCode = 'INVALID_VALUE'): Packed {
  try {
    return isBytes(value) ? { bytes: own(value) } : { text: own(toStructured(value)) }
  } catch (error) {
    const why = isStoreError(error) ? ` ${error.message}` : ' It is nested too deeply or too large.'
    throw new StoreError(code, `The value cannot be sent to another thread.${why}`, {
      cause: error,
      path: isStoreError(error) ? error.path : undefined,
    })
  }
}

/** The data that `pack` took. */
export function unpack(packed: Packed): unknown {
  return 'bytes' in packed ? packed.bytes : fromStructured(packed.text)
}

/** Bytes of their own: a structured clone of a view takes the whole buffer behind it along. */
function own(bytes: Bytes): Bytes {
  return bytes.buffer.byteLength === bytes.length && !Buffer.isBuffer(bytes) ? bytes : new Uint8Array(bytes)
}
