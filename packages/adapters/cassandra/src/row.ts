import { types } from 'node:util'
import type { Bytes, Entry, NotModified, StoreError } from '@unikv/core'
import { corrupt } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'

/** A row as the driver gives it. */
export interface Row {
  readonly version: unknown
  readonly expires_at: unknown
  /** The clock of the node that answered. */
  readonly now: Date
  /** Not selected by a head. */
  readonly value?: unknown
}

/** The expiry of a record without one: the end of the year 9999. A condition could not compare with NULL. */
const never = 253_402_300_799_999
const neverDate = new Date(never)

/** The result of a row: an entry, its head, nothing if it has expired by the server's clock, or an error. */
export function resultOf(row: Row): Entry<Bytes> | NotModified | StoreError | undefined {
  const { version, expires_at: end, now, value } = row
  if (!Buffer.isBuffer(version) || version.length !== 12 || !types.isDate(end) || !types.isDate(now))
    return corrupt('The row')
  const expiresAt = end.getTime() >= never ? undefined : end.getTime()
  if (expiresAt !== undefined && expiresAt <= now.getTime()) return undefined
  const token = version.toString('hex')
  if (value === undefined) return { notModified: true, version: token, expiresAt }
  return Buffer.isBuffer(value) ? { value, version: token, expiresAt } : corrupt('The row')
}

/** The expiry as a column holds it. */
export function expiryColumn(expiresAt: number | undefined): Date {
  return expiresAt === undefined ? neverDate : new Date(expiryMs(expiresAt))
}

/** The milliseconds of that column. */
export function expiryMs(expiresAt: number | undefined): number {
  return expiresAt === undefined ? never : Math.min(Math.max(Math.floor(expiresAt), 0), never)
}

/**
 * A record outlives its expiry by this on the server: it is hidden by the expiry that stands in it, and a client whose
 * clock goes wrong must not lose it before.
 */
const graceSeconds = 60
/** Longest time to live that Cassandra takes: 20 years. */
const maxSeconds = 630_720_000
/** Up to Cassandra 4.1 nothing can be removed after this second (2038-01-19). */
const lastSecond = 2_147_483_646

/** After how many seconds the server removes a record; 0: never, for what lies beyond its limits too. */
export function secondsToLive(expiresAt: number | undefined): number {
  if (expiresAt === undefined) return 0
  const seconds = Math.max(0, Math.ceil((expiresAt - wallClock()) / 1_000)) + graceSeconds
  const isBeyond = seconds > maxSeconds || expiresAt / 1_000 + graceSeconds >= lastSecond
  return isBeyond ? 0 : seconds
}
