import type { Bytes } from '@unikv/core'
import { bufferOf } from '@unikv/core/adapter'

/** Up to this length copying byte by byte is faster than making the view that a native copy needs. */
const bytewise = 48

const mostAhead = 16_384

/**
 * Puts a target together, from its start to its end. Where one copy follows another without a move, more of the base is
 * copied at once than was asked for, and what is inserted then written over it: many small copies become few large ones.
 */
export class TargetWriter {
  readonly target: Buffer
  readonly #base: Buffer
  readonly #delta: Buffer
  #at = 0
  /** Where in the base the target's start would lie, if nothing had moved. */
  #shift = 0
  /** Up to here the target is what the base holds at this shift. */
  #filled = 0
  /** How much the next copy at this shift takes at least. */
  #ahead = 0

  constructor(base: Bytes, delta: Bytes, length: number) {
    this.target = Buffer.allocUnsafe(length)
    this.#base = bufferOf(base)
    this.#delta = bufferOf(delta)
  }

  insert(from: number, length: number): void {
    put(this.#delta, from, length, this.target, this.#at)
    this.#at += length
  }

  copy(from: number, length: number): void {
    const at = this.#at
    const end = at + length
    this.#at = end
    if (from - at !== this.#shift) {
      this.#shift = from - at
      this.#filled = at
      this.#ahead = 0
    }
    if (end > this.#filled) this.#fill(Math.max(at, this.#filled), end)
  }

  #fill(start: number, end: number): void {
    const limit = Math.min(this.target.length, this.#base.length - this.#shift)
    const filled = Math.min(limit, Math.max(end, start + this.#ahead))
    put(this.#base, start + this.#shift, filled - start, this.target, start)
    this.#filled = filled
    this.#ahead = Math.min(2 * this.#ahead + 256, mostAhead)
  }
}

function put(source: Buffer, from: number, length: number, target: Buffer, at: number): void {
  if (length > bytewise) {
    target.set(source.subarray(from, from + length), at)
    return
  }
  for (let i = 0; i < length; i++) target[at + i] = source[from + i] as number
}
