import { isStoreError } from '@unikv/core'
import { type Keyring, keyring } from '../src/index.ts'

/** Root keys of the tests: random in nature, fixed here. */
export const root1 = '157d4f5437b11d0cb23cebbc1cc6d238b0c8181feb356136d79a03e5a957ab4e'
export const root2 = 'Vvz0d0q1eZJ8m3uY5b2Cw9nK4tXhQ6rLgS7iPoEaDfM'
export const root3 = Uint8Array.from({ length: 32 }, (_, i) => (i * 89 + 41) % 256)

/** A keyring with `k1` as primary. */
export const keys: Keyring = keyring({ primary: 'k1', keys: { k1: root1 } })

/** The code of the StoreError that `work` throws; `undefined` if it throws none. Other errors pass. */
export function codeOf(work: () => unknown): string | undefined {
  try {
    work()
  } catch (error) {
    if (isStoreError(error)) return error.code
    throw error
  }
  return undefined
}

/** Bytes of a text. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A changed copy. */
export function changed(bytes: Uint8Array, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}
