import type { Version } from './store.ts'

const HEX = 24
const pool = new Uint32Array(256)
let used = pool.length
let lastMs = 0
let sequence = 0
let head = ''

/**
 * A new version: 48 bits of time in milliseconds, 16 bits of a sequence inside the millisecond, 32 random bits,
 * as 24 hexadecimal digits. Unique for each call, ascending within a process even if the clock steps back.
 */
export function newVersion(now: number = Date.now()): Version {
  if (now > lastMs) startMillisecond(now)
  else if (++sequence > 0xffff) startMillisecond(lastMs + 1)
  return head + hex(sequence, 4) + hex(randomWord(), 8)
}

/** Whether a string has the form of a version. */
export function isVersion(value: unknown): value is Version {
  return typeof value === 'string' && value.length === HEX && /^[0-9a-f]{24}$/.test(value)
}

function startMillisecond(ms: number): void {
  lastMs = ms
  sequence = 0
  head = hex(ms, 12)
}

function randomWord(): number {
  if (used === pool.length) {
    // The global one is loaded when it is first used; `node:crypto` would cost every import 3 ms.
    crypto.getRandomValues(pool)
    used = 0
  }
  return pool[used++] as number
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
