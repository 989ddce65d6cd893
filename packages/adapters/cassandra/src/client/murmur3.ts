/*
 * The token of a partition key: the first half of MurmurHash3_x64_128 (Austin Appleby, public domain), seed 0, as
 * Cassandra's Murmur3Partitioner has it, which takes the bytes behind the last whole block as signed ones. Numbers of 64
 * bits are two of 32, signed; a function that makes one leaves it in `high` and `low`.
 */

let high = 0
let low = 0

/** A token, as two signed numbers of 32 bits. */
export interface Token {
  readonly high: number
  readonly low: number
}

/** The token of a partition key of one column. */
export function murmur3(key: Uint8Array): Token {
  const { length } = key
  const blocks = length & ~15
  let h1High = 0
  let h1Low = 0
  let h2High = 0
  let h2Low = 0
  for (let at = 0; at < blocks; at += 16) {
    scramble1(word(key, at + 4), word(key, at))
    rotate(h1High ^ high, h1Low ^ low, 27)
    add(high, low, h2High, h2Low)
    multiply(high, low, 0, 5)
    add(high, low, 0, 0x52dce729)
    h1High = high
    h1Low = low
    scramble2(word(key, at + 12), word(key, at + 8))
    rotate(h2High ^ high, h2Low ^ low, 31)
    add(high, low, h1High, h1Low)
    multiply(high, low, 0, 5)
    add(high, low, 0, 0x38495ab5)
    h2High = high
    h2Low = low
  }
  if (length > blocks + 8) {
    tail(key, blocks + 8, length)
    scramble2(high, low)
    h2High ^= high
    h2Low ^= low
  }
  if (length > blocks) {
    tail(key, blocks, Math.min(length, blocks + 8))
    scramble1(high, low)
    h1High ^= high
    h1Low ^= low
  }
  return finished(h1High, h1Low ^ length, h2High, h2Low ^ length)
}

/** Both halves together, every bit of each in all of the others. */
function finished(h1High: number, h1Low: number, h2High: number, h2Low: number): Token {
  add(h1High, h1Low, h2High, h2Low)
  const sumHigh = high
  const sumLow = low
  add(h2High, h2Low, sumHigh, sumLow)
  mix(high, low)
  const mixedHigh = high
  const mixedLow = low
  mix(sumHigh, sumLow)
  add(high, low, mixedHigh, mixedLow)
  return { high, low }
}

function scramble1(h: number, l: number): void {
  multiply(h, l, 0x87c37b91, 0x114253d5)
  rotate(high, low, 31)
  multiply(high, low, 0x4cf5ad43, 0x2745937f)
}

function scramble2(h: number, l: number): void {
  multiply(h, l, 0x4cf5ad43, 0x2745937f)
  rotate(high, low, 33)
  multiply(high, low, 0x87c37b91, 0x114253d5)
}

/** A number shifted right by 33 is the higher half, shifted by one. */
function mix(h: number, l: number): void {
  multiply(h, l ^ (h >>> 1), 0xff51afd7, 0xed558ccd)
  multiply(high, low ^ (high >>> 1), 0xc4ceb9fe, 0x1a85ec53)
  low ^= high >>> 1
}

/** Up to eight signed bytes, little-endian: the sign of each goes on above it. */
function tail(key: Uint8Array, start: number, end: number): void {
  high = 0
  low = 0
  for (let i = start; i < end; i++) {
    const byte = ((key[i] as number) << 24) >> 24
    const shift = (i - start) * 8
    if (shift < 32) {
      low ^= byte << shift
      high ^= shift === 0 ? byte >> 31 : byte >> (32 - shift)
    } else high ^= byte << (shift - 32)
  }
}

/** Four bytes, little-endian. */
function word(key: Uint8Array, at: number): number {
  return (
    (key[at] as number) |
    ((key[at + 1] as number) << 8) |
    ((key[at + 2] as number) << 16) |
    ((key[at + 3] as number) << 24)
  )
}

function rotate(h: number, l: number, bits: number): void {
  if (bits === 33) {
    high = (l << 1) | (h >>> 31)
    low = (h << 1) | (l >>> 31)
    return
  }
  high = (h << bits) | (l >>> (32 - bits))
  low = (l << bits) | (h >>> (32 - bits))
}

function add(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  low = (aLow + bLow) | 0
  const carry = low >>> 0 < aLow >>> 0 ? 1 : 0
  high = (aHigh + bHigh + carry) | 0
}

function multiply(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const a0 = aLow & 0xffff
  const a1 = aLow >>> 16
  const b0 = bLow & 0xffff
  const b1 = bLow >>> 16
  const middle = a1 * b0 + ((a0 * b0) >>> 16)
  const crossed = a0 * b1 + (middle & 0xffff)
  // All of them are below 2 ** 33, and the parts that are shifted below 2 ** 32.
  const carried = a1 * b1 + Math.floor(middle / 0x1_0000) + Math.floor(crossed / 0x1_0000)
  high = (Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh) + carried) | 0
  low = Math.imul(aLow, bLow)
}
