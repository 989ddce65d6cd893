import type { Bytes } from '@unikv/core'
import { type Comparable, matchForward } from './match-length.ts'

/** Odd, without a pattern in its bits. */
const multiplier = 0x2c1b_3c6d
const spread = 0x9e37_79b1

/** At most so many positions of a base are kept; of a longer one fewer than every `step`-th. */
const maxPositions = 2 ** 22

/** A table up to this length is kept for the next call. */
const keptSlots = 2 ** 18
let kept = new Int32Array(0)

/**
 * Where in a base a window of bytes is found, by its Rabin–Karp hash. One position a slot, the first one that comes:
 * no chains, hence no input that makes looking up slow. A slot holds the number of the window (from 1) in its low
 * bits, and above them as much of the hash as there is room for, so that few windows are compared in vain.
 */
export class BaseIndex {
  /** Of the last window that was found. */
  from = 0
  length = 0

  readonly #base: Comparable
  readonly #window: number
  readonly #step: number
  readonly #slots: Int32Array
  readonly #shift: number
  readonly #numberMask: number

  constructor(base: Comparable, window: number, step: number) {
    const starts = base.length - window
    this.#base = base
    this.#window = window
    this.#step = Math.max(step, Math.ceil(starts / maxPositions))
    const windows = Math.floor(starts / this.#step) + 1
    const bits = Math.max(4, 33 - Math.clz32(windows))
    this.#shift = 32 - bits
    this.#numberMask = 2 ** (32 - Math.clz32(windows)) - 1
    this.#slots = emptySlots(2 ** bits)
    this.#fill(starts)
  }

  #fill(lastStart: number): void {
    const { bytes } = this.#base
    const [slots, shift, mask, step, window] = [
      this.#slots,
      this.#shift,
      this.#numberMask,
      this.#step,
      this.#window,
    ]
    for (let start = 0, number = 1; start <= lastStart; start += step, number++) {
      const hash = hashOf(bytes, start, window)
      const slot = Math.imul(hash, spread) >>> shift
      if (slots[slot] === 0) slots[slot] = (hash & ~mask) | number
    }
  }

  /**
   * The first start from `start` to `last` in `target` whose window stands in the base, or -1. `from` and `length`
   * then tell where, and how far it goes on, up to `end` in the target.
   */
  find(target: Comparable, start: number, last: number, end: number): number {
    if (start > last) return -1
    const bytes = target.bytes
    const slots = this.#slots
    const shift = this.#shift
    const mask = this.#numberMask
    const window = this.#window
    const leaving = power(window)
    let hash = hashOf(bytes, start, window)
    for (let at = start; ; at++) {
      const entry = slots[Math.imul(hash, spread) >>> shift] as number
      if (((entry ^ hash) & ~mask) === 0 && entry !== 0 && this.#confirm(target, at, entry & mask, end))
        return at
      if (at >= last) return -1
      hash =
        (Math.imul(hash, multiplier) +
          (bytes[at + window] as number) -
          Math.imul(bytes[at] as number, leaving)) |
        0
    }
  }

  #confirm(target: Comparable, at: number, number: number, end: number): boolean {
    if (number === 0) return false
    const base = this.#base
    this.from = (number - 1) * this.#step
    this.length = matchForward(target, at, base, this.from, Math.min(end - at, base.length - this.from))
    return this.length >= this.#window
  }
}

function emptySlots(count: number): Int32Array {
  if (count > keptSlots) return new Int32Array(count)
  if (kept.length < count) kept = new Int32Array(count)
  return kept.subarray(0, count).fill(0)
}

/** The hash of `window` bytes: a polynomial of them modulo 2^32. */
function hashOf(bytes: Bytes, start: number, window: number): number {
  const end = start + window
  let hash = 0
  let at = start
  for (; at + 4 <= end; at += 4) {
    hash =
      (Math.imul(hash, m4) +
        Math.imul(bytes[at] as number, m3) +
        Math.imul(bytes[at + 1] as number, m2) +
        Math.imul(bytes[at + 2] as number, multiplier) +
        (bytes[at + 3] as number)) |
      0
  }
  for (; at < end; at++) hash = (Math.imul(hash, multiplier) + (bytes[at] as number)) | 0
  return hash
}

function power(exponent: number): number {
  let result = 1
  for (let i = 0; i < exponent; i++) result = Math.imul(result, multiplier)
  return result
}

const m2: number = power(2)
const m3: number = power(3)
const m4: number = power(4)
