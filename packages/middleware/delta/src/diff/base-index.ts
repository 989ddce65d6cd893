import type { Bytes } from '@unikv/core'
import { type Comparable, matchForward } from './match-length.ts'

/** Odd, and without a pattern in its bits. */
const multiplier = 0x2c1b_3c6d

/** At most so many places of a base are kept; of a longer one fewer than every `step`-th. */
const maxPlaces = 2 ** 20

/** With so few the table is small. */
const fewPlaces = 4096

/** A table up to this length is kept for the next call: 1 MiB. */
const keptSlots = 2 ** 18
let kept = new Int32Array(0)

/**
 * Where in a base a window of bytes stands, by its Rabin–Karp hash: the polynomial of its bytes modulo 2^32. One place a
 * slot, the first that comes: no chains, hence no input that makes looking up slow. The high bits of the hash choose the
 * slot; its low bits stand in the slot below the number of the place (from 1), so that few windows are compared in vain.
 */
export class BaseIndex {
  /** Where the window that was found last stands in the base, and how many bytes are equal from there on. */
  from = 0
  length = 0

  readonly #base: Comparable
  readonly #window: number
  readonly #step: number
  readonly #slots: Int32Array
  readonly #slotShift: number
  readonly #tagBits: number
  /** Share of each byte in the hash, taken out when the byte leaves the window. */
  readonly #leaving: Int32Array

  constructor(base: Comparable, window: number, step: number) {
    const lastStart = base.length - window
    this.#base = base
    this.#window = window
    this.#step = Math.max(step, Math.ceil((lastStart + 1) / maxPlaces))
    const places = Math.floor(lastStart / this.#step) + 1
    // One to four slots a place; where they cost little, two at least, as a slot that is taken loses a place.
    const bits = Math.max(4, (places <= fewPlaces ? 34 : 33) - Math.clz32(places - 1))
    this.#slotShift = 32 - bits
    this.#tagBits = Math.clz32(places)
    this.#slots = emptySlots(2 ** bits)
    this.#leaving = leavingTable(window)
    this.#fill(lastStart)
  }

  /**
   * The first start from `start` to `last` in `target` whose window stands in the base, or -1. `from` and `length` then
   * tell where, and how far it goes on; `end` is where the target may be told no further.
   */
  find(target: Comparable, start: number, last: number, end: number): number {
    if (start > last) return -1
    const bytes = target.bytes
    const slots = this.#slots
    const slotShift = this.#slotShift
    const tagMask = (1 << this.#tagBits) - 1
    const leaving = this.#leaving
    const window = this.#window
    let hash = hashOf(bytes, start, window)
    for (let at = start; ; at++) {
      const entry = slots[hash >>> slotShift] as number
      if (((entry ^ hash) & tagMask) === 0 && this.#confirm(target, at, entry, end)) return at
      if (at === last) return -1
      const left = leaving[bytes[at] as number] as number
      hash = (Math.imul(hash, multiplier) + ((bytes[at + window] as number) - left)) | 0
    }
  }

  #confirm(target: Comparable, at: number, entry: number, end: number): boolean {
    const number = entry >>> this.#tagBits
    if (number === 0) return false
    const base = this.#base
    this.from = (number - 1) * this.#step
    this.length = matchForward(target, at, base, this.from, Math.min(end - at, base.length - this.from))
    return this.length >= this.#window
  }

  #fill(lastStart: number): void {
    const { bytes } = this.#base
    const [slots, slotShift, tagBits] = [this.#slots, this.#slotShift, this.#tagBits]
    const [step, window] = [this.#step, this.#window]
    const tagMask = (1 << tagBits) - 1
    const rolls = step < window
    const [entering, leaving] = [power(step), power(window)]
    let hash = hashOf(bytes, 0, window)
    for (let at = 0, number = 1; ; number++) {
      const slot = hash >>> slotShift
      if (slots[slot] === 0) slots[slot] = (number << tagBits) | (hash & tagMask)
      const left = at
      at += step
      if (at > lastStart) return
      // A step is rolled at once, as it costs two hashes of its bytes and not one of the window.
      hash = rolls
        ? (Math.imul(hash, entering) +
            hashOf(bytes, left + window, step) -
            Math.imul(hashOf(bytes, left, step), leaving)) |
          0
        : hashOf(bytes, at, window)
    }
  }
}

function emptySlots(count: number): Int32Array {
  if (count > keptSlots) return new Int32Array(count)
  if (kept.length < count) kept = new Int32Array(count)
  return kept.subarray(0, count).fill(0)
}

/** The hash of `window` bytes, four at a time. */
function hashOf(bytes: Bytes, start: number, window: number): number {
  const end = start + window
  let hash = 0
  let at = start
  for (; at + 4 <= end; at += 4) {
    hash =
      (Math.imul(hash, power4) +
        Math.imul(bytes[at] as number, power3) +
        Math.imul(bytes[at + 1] as number, power2) +
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

const power2: number = power(2)
const power3: number = power(3)
const power4: number = power(4)

const leavings = new Int32Array(256)
let leavingWindow = 0

function leavingTable(window: number): Int32Array {
  if (window === leavingWindow) return leavings
  const factor = power(window)
  for (let byte = 0; byte < 256; byte++) leavings[byte] = Math.imul(byte, factor)
  leavingWindow = window
  return leavings
}
