import { isUint8Array } from 'node:util/types'
import { expect } from 'vitest'

// Bytes are equal by what they hold: stores give a plain `Uint8Array`, and tests like to write down a `Buffer`. That it is
// a plain one is told by `@unikv/conformance`.
expect.addEqualityTesters([
  (a: unknown, b: unknown): boolean | undefined => {
    if (!isUint8Array(a) || !isUint8Array(b)) return undefined
    return Buffer.compare(a, b) === 0
  },
])
