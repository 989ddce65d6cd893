import type { Bytes } from '@unikv/core'
import { corrupt } from '../engine.ts'

/*
 * Parts of a Zstandard frame (RFC 8878, 3.1.1) that are checked before it is decoded, so that every decoder refuses the
 * same: 4 bytes magic, 1 byte descriptor, 0 or 1 byte window, 0 to 4 bytes dictionary id, 0 to 8 bytes content
 * size, blocks (3 bytes header each), 0 or 4 bytes checksum.
 */

const magic = 0xfd2fb528
const dictionaryIdBytes = [0, 1, 2, 4] as const
const contentSizeBytes = [0, 2, 4, 8] as const

/** A frame may ask for a window larger than its content: 8 MiB, as every reader must grant, or the value's size. */
export function windowLog(length: number): number {
  return Math.max(23, Math.ceil(Math.log2(length)))
}

/**
 * Check that a body is one frame, to its end, whose window and content size fit a value of `length` bytes.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function checkZstdFrame(body: Bytes, length: number, hasDictionary: boolean): void {
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  if (body.length < 9 || view.getUint32(0, true) !== magic) throw corrupt('is not a Zstandard frame')
  const descriptor = view.getUint8(4)
  const isSingle = (descriptor & 0x20) !== 0
  const idBytes = dictionaryIdBytes[(descriptor & 3) as 0 | 1 | 2 | 3]
  const flag = (descriptor >> 6) as 0 | 1 | 2 | 3
  const sizeBytes = flag === 0 && isSingle ? 1 : contentSizeBytes[flag]
  const idAt = isSingle ? 5 : 6
  const blocksAt = idAt + idBytes + sizeBytes
  if (blocksAt > body.length || (descriptor & 8) !== 0 || (idBytes > 0 && !hasDictionary))
    throw corrupt('has a Zstandard header that this layer does not write')
  if (sizeBytes > 0 && contentSize(view, idAt + idBytes, sizeBytes) !== length)
    throw corrupt('declares another length than its body has')
  if (!isSingle && windowBytes(view.getUint8(5)) > 2 ** windowLog(length))
    throw corrupt('asks for a window larger than its value')
  checkBlocks(view, blocksAt, length, (descriptor & 4) === 0 ? 0 : 4)
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at)
  if (bytes === 2) return view.getUint16(at, true) + 256
  if (bytes === 4) return view.getUint32(at, true)
  return Number(view.getBigUint64(at, true))
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

/** Most bytes that any block gives. */
const maxBlockBytes = 131_072

/**
 * Blocks of RLE (type 1) take one byte, for any size they tell. Type 3 is not a block. The most that blocks can give
 * must reach the length, so that no room is made for a value that cannot come.
 */
function checkBlocks(view: DataView, from: number, length: number, checksumBytes: number): void {
  // a mean of 64 bytes a block: so many small ones are not an attack
  const maxBlocks = 64 + length / 64
  let at = from
  let room = 0
  for (let i = 0; i < maxBlocks && at + 3 <= view.byteLength; i++) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
    const type = (header >> 1) & 3
    const size = header >> 3
    if (type === 3 || size > maxBlockBytes) break
    at += 3 + (type === 1 ? 1 : size)
    room += type === 2 ? maxBlockBytes : size
    if ((header & 1) === 0) continue
    if (at + checksumBytes === view.byteLength && room >= length) return
    break
  }
  throw corrupt('is not a single Zstandard frame')
}
