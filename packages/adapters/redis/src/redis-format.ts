import {
  type Bytes,
  encodeRecord,
  isRecord,
  notARecord,
  type Read,
  type ReadResult,
  recordExpiresAt,
  recordHeaderBytes,
  recordVersion,
  type SetMutation,
  type Version,
} from '@unikv/core'

/** How values look in Redis. */
export interface Format {
  /** A record header stands before the body, for scripts to look at. */
  readonly header: boolean
  /** What is stored for a set. */
  readonly encode: (mutation: SetMutation<Bytes>) => Buffer
  /** What a reply to a read means. */
  readonly decode: (reply: Buffer | null, read: Read) => ReadResult<Bytes>
  /** The version that a write leaves behind. */
  readonly versionOf: (mutation: { readonly version: Version }) => Version | undefined
}

/** A record header, then the body. */
export const records: Format = {
  header: true,
  encode: ({ value, version, expiresAt }) =>
    encodeRecord(value, version, expiresAt === 'keep' ? undefined : expiresAt),
  decode(reply, { head, ifNotVersion }) {
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
  encode: ({ value }) => Buffer.from(value.buffer, value.byteOffset, value.length),
  decode: (reply) =>
    reply === null ? undefined : { value: reply, version: undefined, expiresAt: undefined },
  versionOf: () => undefined,
}
