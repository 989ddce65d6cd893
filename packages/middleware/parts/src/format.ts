import { crc32 } from 'node:zlib'
import { type Bytes, StoreError } from '@unikv/core'
import { partKey } from './keys.ts'

/*
 * The records, byte by byte in docs/reference/delta-records.md. UTF-8 text never has the first byte.
 *
 *   0  1  magic fa     1  1  kind
 *   whole:     2  …  the value
 *   manifest:  2 12  id of the writing   14  6  length of the value   20  4  bytes of a part   24  4  CRC-32
 *   part:      2  4  CRC-32              6  …  its bytes of the value
 */

const magic = 0xfa
const kinds = { whole: 1, manifest: 2, part: 3 } as const
const manifestBytes = 28

/** Bytes in front of a value that is kept whole. */
export const wholeHeaderBytes = 2

/** Bytes in front of the bytes of a part. */
export const partHeaderBytes = 6

/** Most parts that a value can have. */
const mostParts: number = 2 ** 32

/** The content of the record of a value in parts. */
export interface Manifest {
  readonly id: string
  readonly length: number
  /** Bytes of each part but the last. */
  readonly size: number
}

/** A record at a user's key. */
export type Head = { readonly value: Bytes } | Manifest

/** Whether a record is one of this layer. */
export function isRecord(record: Bytes): boolean {
  return record[0] === magic
}

/** The record of a value that is kept whole. */
export function writeWhole(value: Bytes): Bytes {
  const record = Buffer.allocUnsafe(wholeHeaderBytes + value.length)
  record[0] = magic
  record[1] = kinds.whole
  record.set(value, wholeHeaderBytes)
  return record
}

/** The record of a value in parts. */
export function writeManifest(owner: string, { id, length, size }: Manifest): Bytes {
  const record = Buffer.alloc(manifestBytes)
  record[0] = magic
  record[1] = kinds.manifest
  record.write(id, 2, 'hex')
  record.writeUIntBE(length, 14, 6)
  record.writeUInt32BE(size, 20)
  record.writeUInt32BE(crc32(record.subarray(0, 24), crc32(owner)), 24)
  return record
}

/** Take the record of a user's key apart. @throws {StoreError} `CORRUPT` */
export function readHead(owner: string, record: Bytes): Head {
  if (record[0] !== magic) throw corrupt('is none')
  if (record[1] === kinds.whole) return { value: record.subarray(wholeHeaderBytes) }
  if (record[1] !== kinds.manifest || record.length !== manifestBytes) throw corrupt('is not known')
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length)
  if (bytes.readUInt32BE(24) !== crc32(bytes.subarray(0, 24), crc32(owner))) throw corrupt('is damaged')
  const manifest = {
    id: bytes.toString('hex', 2, 14),
    length: bytes.readUIntBE(14, 6),
    size: bytes.readUInt32BE(20),
  }
  if (manifest.size === 0 || partsIn(manifest) > mostParts) throw corrupt('is damaged')
  return manifest
}

/** How many parts a value has. */
export function partsIn({ length, size }: Pick<Manifest, 'length' | 'size'>): number {
  return Math.ceil(length / size)
}

/** The keys of all parts of a value. */
export function partKeys(owner: string, manifest: Manifest): string[] {
  return Array.from({ length: partsIn(manifest) }, (_, number) => partKey(owner, manifest.id, number))
}

/** The length of a part in its value. */
export function partLength({ length, size }: Manifest, number: number): number {
  return Math.min(size, length - number * size)
}

/** Fill in the header of a part, whose bytes are in their place already. */
export function sealPart(key: string, record: Buffer): Bytes {
  record[0] = magic
  record[1] = kinds.part
  record.writeUInt32BE(crc32(record.subarray(partHeaderBytes), crc32(key)), 2)
  return record
}

/** The bytes of a part, as a view. @throws {StoreError} `CORRUPT` for another part, or a damaged one */
export function readPart(key: string, record: Bytes, length: number): Bytes {
  if (record[0] !== magic || record[1] !== kinds.part || record.length < partHeaderBytes)
    throw corrupt('is not the part that it should be')
  const bytes = record.subarray(partHeaderBytes)
  const told = new DataView(record.buffer, record.byteOffset, record.length).getUint32(2)
  if (bytes.length !== length || told !== crc32(bytes, crc32(key))) throw corrupt('is a damaged part')
  return bytes
}

/** The error for what this version cannot have written. */
export function corrupt(what: string): StoreError {
  const message = `The record of the parts layer ${what}. It was damaged, or written without this layer or by a newer version.`
  return new StoreError('CORRUPT', message)
}
