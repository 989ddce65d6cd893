import type { Bytes } from '@unikv/core'
import { corrupt, minCopyBytes, VarintReader } from './format.ts'

/** Reads instructions one after the other, each checked against what the base and the target have left. */
export class InstructionReader {
  /** The present instruction: bytes of the delta that are inserted, then bytes of the base that are copied. */
  insertAt = 0
  insertLength = 0
  copyAt = 0
  copyLength = 0

  readonly #numbers: VarintReader
  readonly #length: number
  readonly #baseLength: number
  #left: number
  #baseAt = 0
  #first = true

  constructor(delta: Bytes, at: number, targetLength: number, baseLength: number) {
    this.#numbers = new VarintReader(delta, at)
    this.#length = delta.length
    this.#left = targetLength
    this.#baseLength = baseLength
  }

  /** Go on to the next instruction; `false` at the end. @throws {StoreError} `CORRUPT` */
  next(): boolean {
    if (this.#left === 0) {
      if (this.#numbers.at !== this.#length) throw corrupt('continues after its end')
      return false
    }
    const numbers = this.#numbers
    const head = numbers.next()
    const length = head >>> 1
    if (length > this.#left || length > this.#length - numbers.at)
      throw corrupt('inserts more bytes than it holds')
    this.insertAt = numbers.at
    this.insertLength = length
    numbers.at += length
    this.#left -= length
    this.#readCopy((head & 1) === 1)
    this.#first = false
    return true
  }

  #readCopy(moved: boolean): void {
    const inserted = this.insertLength
    this.copyLength = 0
    if (this.#left === 0) {
      if (moved || inserted === 0) throw corrupt('ends with an instruction that does nothing')
      return
    }
    if (!moved && inserted === 0 && !this.#first) throw corrupt('splits a single copy')
    const length = this.#numbers.next() + minCopyBytes
    const at = this.#baseAt + inserted + (moved ? this.#readMove() : 0)
    if (length > this.#left) throw corrupt('copies more than the target holds')
    if (at < 0 || at + length > this.#baseLength) throw corrupt('copies what the base does not have')
    this.copyAt = at
    this.copyLength = length
    this.#left -= length
    this.#baseAt = at + length
  }

  #readMove(): number {
    const zigzag = this.#numbers.next()
    if (zigzag === 0) throw corrupt('moves by nothing')
    return (zigzag >>> 1) ^ -(zigzag & 1)
  }
}
