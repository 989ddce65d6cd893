import type { Bytes } from '@unikv/core'

/*
 * The records of a warm restart in a store, format 1: one manifest, and the chunks that it tells of. Integers are big-endian,
 * times are doubles in milliseconds. Hashes are SHA-256.
 *
 *   both      0   1  magic 0xcf
 *             1   1  format 1       together never valid UTF-8
 *             2   1  kind: 1 a manifest, 2 a chunk
 *             3   1  slot of the chunks: 0 or 1
 *             4  16  id of the save
 *             20  4  number of chunks; of a chunk: which one it is
 *   manifest  24  8  wall clock at the save
 *             32  8  uptime at the save; 0: not known
 *             40  8  freshForMs of the cache
 *             48  1  b, bytes of the name of the boot
 *             49  1  c, bytes of the name of the codec
 *             50  1  n, bytes of the namespace
 *             51  …  boot, codec, namespace
 *             …  36  of each chunk: its length (4) and its hash
 *             …  32  hash of all the above
 *   chunk     24  …  entries: see `warm-entry.ts`
 */

const magic = 0xcf
const format = 1
const kindManifest = 1
const kindChunk = 2
const hashBytes = 32
const idBytes = 16
const namesAt = 51
const chunkRowBytes = 4 + hashBytes

/** Most chunks of one save. */
export const mostChunks = 65_535
const mostManifestBytes = namesAt + 3 * 255 + mostChunks * chunkRowBytes + hashBytes

/** Bytes before the entries of a chunk. */
export const chunkHeaderBytes = 24

/** Which chunk a record is. */
export interface ChunkPlace {
  readonly slot: number
  /** Identifier of the save: 32 hexadecimal digits. */
  readonly id: string
  readonly index: number
}

/** The saved entries, and the time of the save. */
export interface Manifest {
  readonly slot: number
  readonly id: string
  /** Wall clock. */
  readonly savedAt: number
  readonly uptimeMs: number
  readonly freshForMs: number
  /** The names are up to 255 bytes each. */
  readonly boot: string
  readonly codec: string
  readonly namespace: string
  readonly chunks: readonly ChunkSum[]
}

/** Length and checksum that identify a chunk. */
export interface ChunkSum {
  readonly bytes: number
  /** In hexadecimal digits. */
  readonly hash: string
}

/** Bytes of a manifest of so many chunks. */
export function manifestBytes(
  { boot, codec, namespace }: Pick<Manifest, 'boot' | 'codec' | 'namespace'>,
  chunks: number,
): number {
  const names = Buffer.byteLength(boot) + Buffer.byteLength(codec) + Buffer.byteLength(namespace)
  return namesAt + names + chunks * chunkRowBytes + hashBytes
}

/** The manifest as bytes. */
export async function encodeManifest(manifest: Manifest): Promise<Buffer> {
  const { slot, id, chunks } = manifest
  const names = [manifest.boot, manifest.codec, manifest.namespace].map((name) => Buffer.from(name))
  const head = Buffer.alloc(namesAt)
  putHeader(head, kindManifest, { slot, id, index: chunks.length })
  head.writeDoubleBE(manifest.savedAt, 24)
  head.writeDoubleBE(manifest.uptimeMs, 32)
  head.writeDoubleBE(manifest.freshForMs, 40)
  for (const [i, { length }] of names.entries()) head[48 + i] = length
  const rows = chunks.map(({ bytes, hash }) => {
    const row = Buffer.alloc(chunkRowBytes)
    row.writeUInt32BE(bytes)
    row.write(hash, 4, 'hex')
    return row
  })
  const told = Buffer.concat([head, ...names, ...rows])
  return Buffer.concat([told, Buffer.from(await hashOf(told), 'hex')])
}

/** The manifest of bytes; `undefined` if they are none, or not as they were written. */
export async function decodeManifest(bytes: Bytes): Promise<Manifest | undefined> {
  const record = viewOf(bytes)
  const header = headerOf(record, kindManifest)
  if (header === undefined || record.length < namesAt + hashBytes) return undefined
  if (record.length > mostManifestBytes) return undefined
  const told = record.subarray(0, record.length - hashBytes)
  if (record.toString('hex', told.length) !== (await hashOf(told))) return undefined
  const codecAt = namesAt + (record[48] as number)
  const namespaceAt = codecAt + (record[49] as number)
  const chunksAt = namespaceAt + (record[50] as number)
  if (told.length - chunksAt !== header.index * chunkRowBytes) return undefined
  const chunks = Array.from({ length: header.index }, (_, i) =>
    chunkSumAt(record, chunksAt + i * chunkRowBytes),
  )
  const [savedAt, uptimeMs, freshForMs] = [24, 32, 40].map((at) => record.readDoubleBE(at)) as [
    number,
    number,
    number,
  ]
  if (!Number.isFinite(savedAt) || !Number.isFinite(uptimeMs) || !(freshForMs >= 0)) return undefined
  return {
    slot: header.slot,
    id: header.id,
    savedAt,
    uptimeMs,
    freshForMs,
    boot: record.toString('utf8', namesAt, codecAt),
    codec: record.toString('utf8', codecAt, namespaceAt),
    namespace: record.toString('utf8', namespaceAt, chunksAt),
    chunks,
  }
}

/** A chunk of these entries. */
export function encodeChunk(place: ChunkPlace, entries: readonly Bytes[]): Buffer {
  const head = Buffer.alloc(chunkHeaderBytes)
  putHeader(head, kindChunk, place)
  return Buffer.concat([head, ...entries])
}

/** The entries of a chunk, in one; `undefined` if it is not this one, or not as it was written. */
export async function decodeChunk(
  bytes: Bytes,
  place: ChunkPlace,
  sum: ChunkSum,
): Promise<Buffer | undefined> {
  const record = viewOf(bytes)
  if (record.length !== sum.bytes) return undefined
  const header = headerOf(record, kindChunk)
  if (header?.id !== place.id || header.slot !== place.slot || header.index !== place.index) return undefined
  return (await hashOf(record)) === sum.hash ? record.subarray(chunkHeaderBytes) : undefined
}

/** SHA-256 in hexadecimal digits; the event loop does not wait for it. */
export async function hashOf(bytes: Bytes): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex')
}

/** A new id of a save. */
export function newSaveId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(idBytes))).toString('hex')
}

function putHeader(into: Buffer, kind: number, { slot, id, index }: ChunkPlace): void {
  into[0] = magic
  into[1] = format
  into[2] = kind
  into[3] = slot
  into.write(id, 4, 'hex')
  into.writeUInt32BE(index, 20)
}

function headerOf(record: Buffer, kind: number): ChunkPlace | undefined {
  if (record.length < chunkHeaderBytes) return undefined
  const slot = record[3] as number
  if (record[0] !== magic || record[1] !== format || record[2] !== kind || slot > 1) return undefined
  return { slot, id: record.toString('hex', 4, 20), index: record.readUInt32BE(20) }
}

function chunkSumAt(record: Buffer, at: number): ChunkSum {
  return { bytes: record.readUInt32BE(at), hash: record.toString('hex', at + 4, at + chunkRowBytes) }
}

function viewOf(bytes: Bytes): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
