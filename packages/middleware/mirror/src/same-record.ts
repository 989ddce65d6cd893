import { type Bytes, type Entry, isEntry, type NotModified, type Version } from '@unikv/core'

/** A record as far as it was looked at: the value may be missing. */
export type Found = Entry<Bytes> | NotModified | undefined

/** The comparison of both sides for a key: same, different, or unknown without the values. */
export type Verdict = 'same' | 'different' | 'values needed'

/**
 * Compare what both sides have. Versions tell by themselves, as each names one attempt to write; where a side has none
 * (foreign bytes), and with `bytes`, values are compared. Expiries may differ by less than `precisionMs`.
 */
export function compareRecords(a: Found, b: Found, precisionMs: number, bytes = false): Verdict {
  if (a === undefined || b === undefined) return a === b ? 'same' : 'different'
  if (!sameExpiry(a.expiresAt, b.expiresAt, precisionMs)) return 'different'
  const versioned = a.version !== undefined && b.version !== undefined
  if (versioned && a.version !== b.version) return 'different'
  if (versioned && !bytes) return 'same'
  if (!isEntry(a) || !isEntry(b)) return 'values needed'
  return Buffer.compare(a.value, b.value) === 0 ? 'same' : 'different'
}

/** The state that a mirrored write has left, for comparison. */
export function trace(version: Version, expiresAt: number | undefined): NotModified {
  return { notModified: true, version, expiresAt }
}

function sameExpiry(a: number | undefined, b: number | undefined, precisionMs: number): boolean {
  return a === undefined || b === undefined ? a === b : Math.abs(a - b) < precisionMs
}
