import type { Bytes } from '@unikv/core'
import { bufferOf, double, hex, Layout, u8, u32 } from '@unikv/core/adapter'

/*
 * The records of a warm restart in a store, format 1: one manifest, and the chunks that it tells of. Times are in milliseconds, hashes
 * are SHA-256. The first two bytes are together never valid UTF-8.
 */
const magic = [0xcf, 1]
const place = {
  /** 1 a manifest, 2 a chunk. */
  kind: u8,
  /** Slot of the chunks: 0 or 1. */
  slot: u8,
  /** Id of the save. */
  id: hex(16),
  /** Number of chunks; of a chunk: which one it is. */
  index: u32,
}
/** Behind it come entries: see `warm-entry.ts`. */
const chunkHead = new Layout(magic, place)
/** Behind it come boot, codec and namespace, a row for each chunk, and the hash of all that. */
const manifestHead = new Layout(magic, {
  ...place,
  savedAt: double,
  /** 0: not known. */
  uptimeMs: double,
  freshForMs: double,
  bootBytes: u8,
  codecBytes: u8,
  namespaceBytes: u8,
})
const row = new Layout<ChunkSum>([], { bytes: u32, hash: hex(32) })
const kindManifest = 1
const kindChunk = 2
const hashBytes = 32

/** Most chunks of one save. */
export const mostChunks = 65_535
const mostManifestBytes = manifestHead.bytes + 3 * 255 + mostChunks * row.bytes + hashBytes

/** Bytes before the entries of a chunk. */
export const chunkHeaderBytes: number = chunkHead.bytes

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
  return manifestHead.bytes + names + chunks * row.bytes + hashBytes
}

/** The manifest as bytes. */
export async function encodeManifest(manifest: Manifest): Promise<Buffer> {
  const { chunks } = manifest
  const [boot, codec, namespace] = [manifest.boot, manifest.codec, manifest.namespace].map((name) =>
    Buffer.from(name),
  ) as [Buffer, Buffer, Buffer]
  const lengths = { bootBytes: boot.length, codecBytes: codec.length, namespaceBytes: namespace.length }
  const head = { ...manifest, ...lengths, kind: kindManifest, index: chunks.length }
  const told = manifestHead.encode(head, [
    boot,
    codec,
    namespace,
    ...chunks.map((chunk) => row.encode(chunk)),
  ])
  return Buffer.concat([told, Buffer.from(await hashOf(told), 'hex')])
}

/** The manifest of bytes; `undefined` if they are none, or not as they were written. */
export async function decodeManifest(bytes: Bytes): Promise<Manifest | undefined> {
  const record = bufferOf(bytes)
  const head = manifestHead.decode(record)
  if (head?.kind !== kindManifest || head.slot > 1 || record.length > mostManifestBytes) return undefined
  const told = record.subarray(0, -hashBytes)
  if (record.toString('hex', told.length) !== (await hashOf(told))) return undefined
  const { slot, id, index, savedAt, uptimeMs, freshForMs } = head
  const codecAt = manifestHead.bytes + head.bootBytes
  const namespaceAt = codecAt + head.codecBytes
  const chunksAt = namespaceAt + head.namespaceBytes
  if (told.length - chunksAt !== index * row.bytes) return undefined
  if (!Number.isFinite(savedAt) || !Number.isFinite(uptimeMs) || !(freshForMs >= 0)) return undefined
  return {
    slot,
    id,
    savedAt,
    uptimeMs,
    freshForMs,
    boot: record.toString('utf8', manifestHead.bytes, codecAt),
    codec: record.toString('utf8', codecAt, namespaceAt),
    namespace: record.toString('utf8', namespaceAt, chunksAt),
    chunks: Array.from({ length: index }, (_, i) => row.decode(record, chunksAt + i * row.bytes) as ChunkSum),
  }
}

/** A chunk of these entries. */
export function encodeChunk(where: ChunkPlace, entries: readonly Bytes[]): Buffer {
  return chunkHead.encode({ ...where, kind: kindChunk }, entries)
}

/** The entries of a chunk, in one; `undefined` if it is not this one, or not as it was written. */
export async function decodeChunk(
  bytes: Bytes,
  { id, slot, index }: ChunkPlace,
  sum: ChunkSum,
): Promise<Buffer | undefined> {
  const record = bufferOf(bytes)
  const head = chunkHead.decode(record)
  if (record.length !== sum.bytes || head?.kind !== kindChunk) return undefined
  if (head.id !== id || head.slot !== slot || head.index !== index) return undefined
  return (await hashOf(record)) === sum.hash ? record.subarray(chunkHead.bytes) : undefined
}

/** SHA-256 in hexadecimal digits; the event loop does not wait for it. */
export async function hashOf(bytes: Bytes): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex')
}

/** A new id of a save. */
export function newSaveId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(place.id.bytes))).toString('hex')
}
