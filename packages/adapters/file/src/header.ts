import { createHash } from 'node:crypto'
import type { Bytes, Entry, Version } from '@unikv/core'
import { isRecord, recordExpiresAt, recordHeaderBytes, recordVersion } from '@unikv/core/adapter'

/** The bytes in front of a body, or in its place. */
export interface Header {
  readonly bytes: Buffer
  readonly version: Version
  readonly expiresAt: number | undefined
  /** The file is not a record: only a plain set or delete may replace it. */
  readonly isDamaged: boolean
}

/** The header of a file's content, or of its first bytes. `head` is what stands in front of the record. */
export function headerOf(content: Buffer, head: Buffer): Header {
  const bytes = content.subarray(head.length, head.length + recordHeaderBytes)
  const isDamaged = !isRecord(bytes) || !content.subarray(0, head.length).equals(head)
  if (!isDamaged)
    return { bytes, version: recordVersion(bytes), expiresAt: recordExpiresAt(bytes), isDamaged }
  const whole = content.subarray(0, head.length + recordHeaderBytes)
  return { bytes: whole, version: nameOfDamage(whole), expiresAt: undefined, isDamaged }
}

/** The name of the claim of a damaged file, which has no version. */
function nameOfDamage(bytes: Buffer): string {
  return `x${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}`
}

/** The entry of a whole file. Its value is a view. */
export function entryOf(content: Buffer, head: Buffer, { version, expiresAt }: Header): Entry<Bytes> {
  return { value: content.subarray(head.length + recordHeaderBytes), version, expiresAt }
}
