import { createHash } from 'node:crypto'
import type { Bytes } from '@unikv/core'

/** A chain of checksums: each covers its part and all before it, so that no part can be moved, doubled or left out. */
export class Checksums {
  #last: Buffer = Buffer.alloc(0)

  /** The checksum after these parts. */
  add(...parts: readonly Bytes[]): Buffer {
    const hash = createHash('sha256').update(this.#last)
    for (const part of parts) hash.update(part)
    this.#last = hash.digest()
    return this.#last
  }

  /** The last checksum in hexadecimal. */
  toString(): string {
    return this.#last.toString('hex')
  }
}
