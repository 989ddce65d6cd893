import type { Bytes } from '@unikv/core'

/** The same with bytes of their own: a structured clone of a view takes the whole buffer behind it along. */
export function compact<T extends { readonly value: Bytes }>(holder: T): T {
  const { value } = holder
  return value.buffer.byteLength === value.length ? holder : { ...holder, value: new Uint8Array(value) }
}
