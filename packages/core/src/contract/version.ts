import { wallClock } from '../platform/timers.ts'
import type { Version } from './store.ts'

const HEX = 24
const pool = new Uint32Array(256)
/** Two digits for each byte. */
const digits = Array.from({ length: 256 }, (_, byte) => hex(byte, 2))
let used = pool.length
let lastMs = 0
let sequence = 0
let head = ''
let tail = ''

/**
 * A new version: 48 bits of time in milliseconds, 16 bits of a sequence inside the millisecond, 32 random bits
 * drawn for that millisecond, as 24 hexadecimal digits. Unique for each call, ascending within a process even if
 * the clock steps back; two processes give the same one only if they draw the same bits in the same millisecond.
 */
export function newVersion(now: number = wallClock()): Version {
  // A time that has no 48 bits counts as one that stepped back: no later version would be one.
  if (now >= lastMs + 1 && now < 2 ** 48) startMillisecond(Math.floor(now))
  else if (++sequence > 0xffff) startMillisecond(lastMs + 1)
  // Two strings are put together for each version: the first byte of the sequence is one for 256 of them.
  else if ((sequence & 0xff) === 0) head = head.slice(0, 12) + digits[sequence >> 8]
  return head + digits[sequence & 0xff] + tail
}

/** Whether a string has the form of a version. */
export function isVersion(value: unknown): value is Version {
  return typeof value === 'string' && value.length === HEX && /^[0-9a-f]{24}$/.test(value)
}

function startMillisecond(ms: number): void {
  lastMs = ms
  sequence = 0
  head = hex(ms, 12) + digits[0]
  tail = hex(randomWord(), 8)
}

function randomWord(): number {
  if (used === pool.length) {
    // Loaded when it is first used: `node:crypto` would cost every import 3 ms. A simulated browser may have none.
    const source = globalThis.crypto ?? process.getBuiltinModule('node:crypto')
    source.getRandomValues(pool)
    used = 0
  }
  return pool[used++] as number
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0')
}
