import type { Bytes, Read, ReadResult, SetMutation, Version } from '@unikv/core'
import {
  isRecord,
  notARecord,
  recordExpiresAt,
  recordHeaderBytes,
  recordVersion,
  writeRecord,
} from '@unikv/core/adapter'
import { bulkOrNull } from './client/replies.ts'

/** How values look in Redis. */
export interface Format {
  /** A record header stands before the body, for scripts to look at. */
  readonly header: boolean
  /** How many bytes are stored for a set. */
  readonly bytesOf: (set: SetMutation<Bytes>) => number
  /** Put what is stored for a set where there is room for it. */
  readonly put: (set: SetMutation<Bytes>, target: Buffer, at: number) => void
  /**
   * Meaning of a reply to a read.
   *
   * @throws {UnexpectedReply}
   */
  readonly decode: (reply: unknown, read: Read) => ReadResult<Bytes>
  /** The version that a write leaves behind. */
  readonly versionOf: (mutation: { readonly version: Version }) => Version | undefined
}

/** A record header, then the body. */
export const records: Format = {
  header: true,
  bytesOf: ({ value }) => recordHeaderBytes + value.length,
  put: ({ value, version, expiresAt }, target, at) =>
    writeRecord(target, at, value, version, expiresAt === 'keep' ? undefined : expiresAt),
  decode(said, { head, ifNotVersion }) {
    const reply = bulkOrNull(said)
    if (reply === null) return undefined
    if (!isRecord(reply)) return notARecord()
    const version = recordVersion(reply)
    const expiresAt = recordExpiresAt(reply)
    if (head === true || version === ifNotVersion) return { notModified: true, version, expiresAt }
    return { value: reply.subarray(recordHeaderBytes), version, expiresAt }
  },
  versionOf: ({ version }) => version,
}

/** Foreign bytes as they are. */
export const raw: Format = {
  header: false,
  bytesOf: ({ value }) => value.length,
  put: ({ value }, target, at) => target.set(value, at),
  decode(said) {
    const reply = bulkOrNull(said)
    return reply === null ? undefined : { value: reply, version: undefined, expiresAt: undefined }
  },
  versionOf: () => undefined,
}

/** Bytes that are stored for a set, put where there is just room for them. */
export function storedBytes(
  set: SetMutation<Bytes>,
  { bytesOf, put }: Format,
  stored: Buffer = Buffer.allocUnsafe(bytesOf(set)),
): Buffer {
  put(set, stored, 0)
  return stored
}
