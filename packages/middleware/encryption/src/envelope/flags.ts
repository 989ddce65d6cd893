import { corrupt } from '../corrupt.ts'

/*
 * The flags byte of an envelope. Each bit adds one part; where it stands is fixed for all of them, so that any
 * combination can be read (docs/reference/envelope.md):
 *
 *   header      … identifiers | wrapped data keys | index | salt | commitment | size of chunks
 *   plaintext   true length (not of chunks) | true key | value | padding | true length (of chunks)
 */

/** One bit each. Bits 0 to 2 and 7 are refused in format 1. */
export const flags = {
  /** Zero bytes stand behind the value: the true length tells where it ends. */
  padded: 0x08,
  /** The ciphertext is cut into chunks, each with a tag of its own. */
  chunked: 0x10,
  /** Wrapped data keys stand between the identifiers and the index. */
  wrappedKeys: 0x20,
  /** The true canonical key stands before the value, as the store only knows its hash. */
  trueKey: 0x40,
} as const

/** All flags that this version writes and reads. Add a new bit here. */
const known = flags.padded | flags.chunked | flags.wrappedKeys | flags.trueKey

/** Whether flags have one of the bits. */
export function has(byte: number, bit: number): boolean {
  return (byte & bit) !== 0
}

/**
 * Refuse flags that this version does not know, instead of reading what stands behind them as something else.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function checkFlags(byte: number): number {
  if ((byte & ~known) === 0) return byte
  throw corrupt('has flags that this version does not support')
}
