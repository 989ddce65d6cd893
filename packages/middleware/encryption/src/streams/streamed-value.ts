import { corrupt } from '../corrupt.ts'
import { flags, has } from '../envelope/flags.ts'
import { longLengthBytes, readLongLength } from '../envelope/plaintext.ts'

/** Zeros at a time. */
const zeroRunBytes = 65_536

/**
 * The value of a plaintext that comes chunk by chunk. The true length stands at its end, so the last bytes, and zeros
 * that may be padding, are held back; of these, only how many there are.
 */
export class StreamedValue {
  readonly #isPadded: boolean
  #tail: Buffer = Buffer.alloc(0)
  #zeros = 0
  #given = 0

  constructor(headerFlags: number) {
    this.#isPadded = has(headerFlags, flags.padded)
  }

  /** The bytes of the value that are certain after this chunk. */
  *add(chunk: Buffer): Generator<Buffer, void, undefined> {
    const all = Buffer.concat([this.#tail, chunk])
    const end = Math.max(0, all.length - longLengthBytes)
    this.#tail = all.subarray(end)
    const bytes = all.subarray(0, end)
    const valueEnd = this.#isPadded ? lastNonZero(bytes) + 1 : end
    if (valueEnd > 0) {
      yield* this.#zerosOf(this.#zeros)
      this.#zeros = 0
      yield* this.#give(bytes.subarray(0, valueEnd))
    }
    this.#zeros += end - valueEnd
  }

  /**
   * The rest of the value, when the last chunk was added.
   *
   * @throws {StoreError} `CORRUPT` if lengths do not agree
   */
  *end(): Generator<Buffer, void, undefined> {
    if (this.#tail.length < longLengthBytes) throw corrupt('is cut short')
    const left = readLongLength(this.#tail, 0) - this.#given
    const isRight = this.#isPadded ? left >= 0 && left < this.#zeros : left === 0
    if (!isRight) throw corrupt('declares a wrong length')
    yield* this.#zerosOf(left)
  }

  *#zerosOf(count: number): Generator<Buffer, void, undefined> {
    for (let left = count; left > 0; left -= zeroRunBytes)
      yield* this.#give(Buffer.alloc(Math.min(left, zeroRunBytes)))
  }

  *#give(bytes: Buffer): Generator<Buffer, void, undefined> {
    this.#given += bytes.length
    yield bytes
  }
}

/** -1 if all are zero. */
function lastNonZero(bytes: Buffer): number {
  let at = bytes.length - 1
  while (at >= 0 && bytes[at] === 0) at--
  return at
}
