import type { Bytes } from '@unikv/core'
import { storedId } from './algorithms.ts'
import { corrupt } from './engine.ts'

/*
 * The frame, byte by byte in docs/reference/compression-frame.md:
 *
 *   0  1  format c1: no byte of any UTF-8 text
 *   1  1  algorithm; 0: the body is the value
 *   2  4  true length of the value, big-endian
 *   6  …  body
 */

const format = 0xc1

/** Bytes in front of every body. */
export const frameBytes = 6

/** Longest value that a frame can tell the length of. */
export const maxFramedBytes: number = 2 ** 32 - 1

/** The content of a frame. The body is a view of it. */
export interface Frame {
  readonly algorithm: number
  readonly length: number
  readonly body: Bytes
}

/** Whether bytes begin as a frame does: no text in UTF-8 does. */
export function isFrame(bytes: Bytes): boolean {
  return bytes.length >= frameBytes && bytes[0] === format
}

/** The length of the value that a frame tells of. */
export function lengthIn(frame: Bytes): number {
  return new DataView(frame.buffer, frame.byteOffset, frame.length).getUint32(2)
}

/** Header and body as one byte string. */
export function writeFrame({ algorithm, length, body }: Frame): Buffer {
  const frame = Buffer.allocUnsafe(frameBytes + body.length)
  frame[0] = format
  frame[1] = algorithm
  frame.writeUInt32BE(length, 2)
  frame.set(body, frameBytes)
  return frame
}

/**
 * Take a frame apart.
 *
 * @throws {StoreError} `CORRUPT` for what `writeFrame` never makes: a stored body must have the true length, any
 * other must be shorter
 */
export function readFrame(bytes: Bytes): Frame {
  if (!isFrame(bytes)) throw corrupt('is none')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const frame = { algorithm: view.getUint8(1), length: view.getUint32(2), body: bytes.subarray(frameBytes) }
  const { algorithm, length, body } = frame
  if (algorithm === storedId ? body.length !== length : body.length >= length)
    throw corrupt('does not match the length that it declares')
  return frame
}
