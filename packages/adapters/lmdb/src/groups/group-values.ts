import type { Bytes } from '@unikv/core'
import { type GroupHead, noGroup } from '@unikv/core/adapter'

/*
 * A record is the number of the commit that wrote it, in 6 bytes, and its value. The head is 8 bytes of its birth, the number of
 * commits and the time of the last one in 6 bytes each.
 */

const numberBytes = 6
const birthBytes = 8

/** The number of the commit that wrote a record. */
export function numberIn(stored: Buffer): number {
  return stored.readUIntBE(0, numberBytes)
}

/** A copy of the value of a record. */
export function valueIn(stored: Buffer): Bytes {
  return Buffer.from(stored.subarray(numberBytes))
}

/** A record as it is stored. */
export function recordOf(number: number, value: Bytes): Buffer {
  const stored = Buffer.allocUnsafe(numberBytes + value.length)
  stored.writeUIntBE(number, 0, numberBytes)
  stored.set(value, numberBytes)
  return stored
}

/** The head of a group. */
export function headIn(stored: Buffer | undefined): GroupHead {
  if (stored === undefined) return noGroup
  return { birth: stored.toString('hex', 0, birthBytes), commits: stored.readUIntBE(birthBytes, numberBytes) }
}

/** Time of the last commit. */
export function changedAtIn(stored: Buffer): number {
  return stored.readUIntBE(birthBytes + numberBytes, numberBytes)
}

/** The head as it is stored. */
export function headOf({ birth, commits }: GroupHead, now: number): Buffer {
  const stored = Buffer.alloc(birthBytes + 2 * numberBytes)
  stored.write(birth, 'hex')
  stored.writeUIntBE(commits, birthBytes, numberBytes)
  stored.writeUIntBE(Math.max(0, Math.floor(now)), birthBytes + numberBytes, numberBytes)
  return stored
}
