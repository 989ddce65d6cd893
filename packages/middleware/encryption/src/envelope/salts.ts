import { randomBytes } from 'node:crypto'
import { startupSnapshot } from 'node:v8'
import { wallClock } from '@unikv/core/platform'

/** Length of a salt in bytes. */
export const saltBytes = 32

const poolBytes = 32 * saltBytes
const maxPoolAgeMs = 1000

/**
 * Salts from the operating system's generator, 32 drawn at a time (a single draw costs 2 µs).
 *
 * A pool that is copied gives the same salts twice, and two messages under one key and nonce. So it lives for at
 * most a second of wall-clock time (a resumed image of a virtual machine starts a new one), never in an image of
 * the process (`node --build-snapshot`), and each worker thread has its own, as modules do.
 */
export function saltSource(clock: () => number = wallClock): () => Buffer {
  let pool = Buffer.alloc(0)
  let used = 0
  let drawnAt = 0
  return () => {
    if (startupSnapshot.isBuildingSnapshot()) return randomBytes(saltBytes)
    const age = clock() - drawnAt
    if (used === pool.length || !(age >= 0 && age < maxPoolAgeMs)) {
      pool = randomBytes(poolBytes)
      used = 0
      drawnAt = clock()
    }
    used += saltBytes
    return pool.subarray(used - saltBytes, used)
  }
}
