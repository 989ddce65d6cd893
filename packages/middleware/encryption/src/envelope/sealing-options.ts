import { any, type OptionsOf, StoreError } from '@unikv/core/adapter'
import type { Padding } from './padding.ts'
import type { Algorithm } from './suites.ts'

export const sealingTable = {
  /** @default 'aes-256-gcm' */
  algorithm: any<Algorithm>(),
  /** Lengths that an observer can tell apart. @default 'none', all of them */
  padding: any<Padding>(),
  /**
   * Values longer than this, with padding padded ones, are sealed in chunks, each with a tag of its own. Values too long for
   * one piece (2,147,483,643 bytes) always are. @default 16,777,216
   */
  chunkAboveBytes: any<number>(),
  /** Size of these chunks: a power of two from 1,024 to 16,777,216. @default 262,144 */
  chunkBytes: any<number>(),
}

/** How envelopes are made. All of them stay readable with any options. */
export interface SealingOptions extends OptionsOf<typeof sealingTable> {}

/** Measured: from this size on, chunks cost nothing. */
export const defaultChunkAboveBytes: number = 16_777_216
export const defaultChunkBytes: number = 262_144

/** @throws {StoreError} `INVALID_CONFIG` */
export function checkedAbove(bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes
  throw new StoreError('INVALID_CONFIG', 'chunkAboveBytes must be a whole number of bytes, 0 or above.')
}
