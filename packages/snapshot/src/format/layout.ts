import { StoreError } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'

/*
 * The snapshot, byte by byte in docs/reference/snapshot-format.md. Integers are big-endian.
 *
 *   0    8   magic 9e 75 6b 73 0d 0a 1a 0a
 *   8    1   format version 1
 *   9    4   length of the header
 *   13   n   header: JSON in UTF-8
 *   13+n 32  SHA-256 of everything before
 *
 * and then blocks, the last of which is the end:
 *
 *   0    1   kind: 1 records, 2 end
 *   1    4   number, from 0
 *   5    4   length of the body
 *   9    m   body
 *   9+m  32  SHA-256 of the checksum before and of this block so far
 */

const magic: Buffer = Buffer.from('9e756b730d0a1a0a', 'hex')
const formatVersion = 1
/** Bytes before the header. */
export const startBytes = 13
/** Bytes of a block before its body. */
export const blockStartBytes = 9
export const checksumBytes = 32
export const kinds = { records: 1, end: 2 } as const
/** Bytes of the body of the last block: numbers of records and of bytes. */
export const endBytes = 16
const mostHeaderBytes = 65_536

/** Facts about a snapshot, in front of its records. */
export interface Header {
  /** When it was begun, in milliseconds since the epoch. */
  readonly createdAt: number
  /** The name of its source. */
  readonly store: string
  readonly values: 'bytes' | 'documents'
  readonly namespace: readonly string[]
  /** Whether records may expire, and how exactly, in milliseconds. */
  readonly expires: boolean
  readonly precisionMs: number
  /** Whether each record is there once. Stores that list keys at least once may have put one there twice: the later one counts. */
  readonly isOnce: boolean
  /** Names of the layers that gave values their form, the outermost first; missing: it is not known. */
  readonly layers?: readonly string[]
}

/** The bytes of a snapshot before its blocks, without their checksum. */
export function encodeHeader(header: Header): Buffer {
  const json = Buffer.from(JSON.stringify(header))
  const start = Buffer.alloc(startBytes)
  magic.copy(start)
  start[8] = formatVersion
  start.writeUInt32BE(json.length, 9)
  return Buffer.concat([start, json])
}

/**
 * The length of the header that follows.
 *
 * @throws {StoreError} `CORRUPT` for bytes that are not the start of a snapshot
 */
export function headerLength(start: Buffer): number {
  if (!start.subarray(0, magic.length).equals(magic)) throw new StoreError('CORRUPT', 'It is not a snapshot.')
  if (start[8] !== formatVersion)
    throw new StoreError('CORRUPT', 'It has a format that this version does not read, or was changed.')
  const length = start.readUInt32BE(9)
  if (length > mostHeaderBytes) throw damaged('its header is too long')
  return length
}

/** @throws {StoreError} `CORRUPT` */
export function parseHeader(json: Buffer): Header {
  const header = parsed(json)
  const { createdAt, store, values, namespace, expires, precisionMs, isOnce, layers = [] } = header
  const isRight =
    Number.isFinite(createdAt) &&
    typeof store === 'string' &&
    (values === 'bytes' || values === 'documents') &&
    areNames(namespace) &&
    areNames(layers) &&
    typeof expires === 'boolean' &&
    typeof precisionMs === 'number' &&
    typeof isOnce === 'boolean'
  if (!isRight) throw damaged('its header cannot be read')
  return header as unknown as Header
}

function parsed(json: Buffer): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(json.toString())
    if (isPlainObject(header)) return header
  } catch {
    // Told below.
  }
  throw damaged('its header cannot be read')
}

function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

/** A text of a header for a message: a forged one must not move the cursor of a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?')
}

/** The error for a snapshot that was cut or changed. */
export function damaged(why: string): StoreError {
  return new StoreError('CORRUPT', `It is damaged: ${why}.`)
}
