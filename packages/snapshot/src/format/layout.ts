import { Layout, StoreError, u8, u32, u64 } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'

/*
 * The snapshot, byte by byte in docs/reference/snapshot-format.md: its start, a header in JSON and a checksum; then blocks, each with its start,
 * body and checksum, the last of which is the end. Checksums are SHA-256, of a block also of the checksum before it.
 */
const formatVersion = 1
/** In front of the header. */
export const start = new Layout([0x9e, 0x75, 0x6b, 0x73, 0x0d, 0x0a, 0x1a, 0x0a], {
  format: u8,
  headerBytes: u32,
})
/** In front of the body of a block. */
export const blockStart = new Layout([], { kind: u8, number: u32, bodyBytes: u32 })
/** The body of the last block. */
export const end = new Layout([], { records: u64, bytes: u64 })
export const checksumBytes = 32
export const kinds = { records: 1, end: 2 } as const
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
  return start.encode({ format: formatVersion, headerBytes: json.length }, [json])
}

/**
 * The length of the header that follows.
 *
 * @throws {StoreError} `CORRUPT` for bytes that are not the start of a snapshot
 */
export function headerLength(bytes: Buffer): number {
  const told = start.decode(bytes)
  if (told === undefined) throw new StoreError('CORRUPT', 'It is not a snapshot.')
  if (told.format !== formatVersion)
    throw new StoreError('CORRUPT', 'It has a format that this version does not read, or was changed.')
  if (told.headerBytes > mostHeaderBytes) throw damaged('its header is too long')
  return told.headerBytes
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
