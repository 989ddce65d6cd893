import type { Bytes } from '@unikv/core'

/** From here on a native comparison is faster than reading words. */
const wordwiseBytes = 512
const blockBytes = 16_384

/** Bytes together with the views that comparing needs: made once a call of `diff`. */
export class Comparable {
  readonly bytes: Buffer
  readonly length: number
  readonly #words: DataView

  constructor(bytes: Bytes) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.length = bytes.length
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** Four bytes as one number. `at` is at most `length - 4`. */
  word(at: number): number {
    return this.#words.getInt32(at, true)
  }
}

/** How many bytes, at most `limit`, are equal from `at` in `a` and `bt` in `b` on. */
export function matchForward(a: Comparable, at: number, b: Comparable, bt: number, limit: number): number {
  const words = Math.min(limit, wordwiseBytes) - 3
  let length = 0
  while (length < words && a.word(at + length) === b.word(bt + length)) length += 4
  if (length >= wordwiseBytes) length = equalBlocks(a, at, b, bt, limit)
  const end = limit
  while (length < end && a.bytes[at + length] === b.bytes[bt + length]) length++
  return length
}

/** How many bytes, at most `limit`, are equal just before `at` in `a` and `bt` in `b`. */
export function matchBackward(a: Comparable, at: number, b: Comparable, bt: number, limit: number): number {
  let length = 0
  while (length + 4 <= limit && a.word(at - length - 4) === b.word(bt - length - 4)) length += 4
  while (length < limit && a.bytes[at - length - 1] === b.bytes[bt - length - 1]) length++
  return length
}

/** Equal whole blocks, then equal words of the first unequal block. */
function equalBlocks(a: Comparable, at: number, b: Comparable, bt: number, limit: number): number {
  let length = wordwiseBytes
  let block = wordwiseBytes
  while (length + block <= limit) {
    const end = length + block
    if (a.bytes.compare(b.bytes, bt + length, bt + end, at + length, at + end) !== 0) break
    length = end
    block = Math.min(block * 2, blockBytes)
  }
  while (length + 4 <= limit && a.word(at + length) === b.word(bt + length)) length += 4
  return length
}
