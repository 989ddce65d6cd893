import type { Bytes, SetMutation } from '@unikv/core'
import { expiryMs } from './row.ts'

/*
 * A record without conditions is one cell, a frozen `unikv_record`. As it travels and as it is stored: each field after
 * its length, 32 bits, big-endian.
 *
 *   0  4  length of the version: 12
 *   4  12 version
 *   16 4  length of the expiry: 8
 *   20 8  expiry, signed milliseconds since the epoch
 *   28 4  length of the value
 *   32 …  value
 */

const versionAt = 4
const versionBytes = 12
const expiryAt = 20
const expiryBytes = 8
const valueAt = 32

/** The fields of `unikv_record`. */
export const recordFields = ['version', 'expires_at', 'value'] as const

/** The cell of a record, with a copy of the value. */
export function recordBytes({ version, value }: SetMutation<Bytes>, expiresAt: number | undefined): Buffer {
  const bytes = Buffer.allocUnsafe(valueAt + value.length)
  bytes.writeInt32BE(versionBytes, 0)
  bytes.write(version, versionAt, versionBytes, 'hex')
  bytes.writeInt32BE(expiryBytes, expiryAt - 4)
  const ms = expiryMs(expiresAt)
  bytes.writeInt32BE(Math.floor(ms / 2 ** 32), expiryAt)
  bytes.writeUInt32BE(ms % 2 ** 32, expiryAt + 4)
  bytes.writeInt32BE(value.length, valueAt - 4)
  bytes.set(value, valueAt)
  return bytes
}
