import type { Bytes } from '@unikv/core'
import { corrupt } from './corrupt.ts'
import { flags, has } from './flags.ts'
import type { PaddedLength } from './padding.ts'

/*
 * What an envelope has inside its ciphertext:
 *
 *   4   true length of the value
 *   …   the value
 *   …   padding, one zero byte or more (flag bit 3)
 */

/** Length of the true length in front of the value. */
export const trueLengthBytes = 4

/** The plaintext of a value, in parts that follow each other. */
export function plaintextOf(value: Bytes, padded: PaddedLength | undefined): readonly Bytes[] {
  const trueLength = Buffer.allocUnsafe(trueLengthBytes)
  trueLength.writeUInt32BE(value.length)
  return padded === undefined
    ? [trueLength, value]
    : [trueLength, value, Buffer.alloc(padded(value.length) - value.length)]
}

/** Bytes of the plaintext of a value of that length. */
export function plaintextBytes(valueBytes: number, padded: PaddedLength | undefined): number {
  return trueLengthBytes + (padded === undefined ? valueBytes : padded(valueBytes))
}

/**
 * The value of a plaintext, which is authentic by now.
 *
 * @throws {StoreError} `CORRUPT` if lengths do not agree: only a holder of the key can have made such a record
 */
export function valueOf(plaintext: Buffer, headerFlags: number): Buffer {
  const end = trueLengthBytes + plaintext.readUInt32BE(0)
  if (end > plaintext.length) throw corrupt('tells a wrong length')
  checkPadding(plaintext.subarray(end), headerFlags)
  return plaintext.subarray(trueLengthBytes, end)
}

/** Zeros where the header says so, and nothing where it does not. */
function checkPadding(padding: Buffer, headerFlags: number): void {
  if (has(headerFlags, flags.padded) !== padding.length > 0) throw corrupt('tells a wrong length')
  if (padding.length > 0 && !isZero(padding)) throw corrupt('has something in its padding')
}

/** Compared with itself, one byte further: as fast as memory. */
function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1))
}
