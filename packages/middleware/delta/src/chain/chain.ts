import type { Bytes, Version } from '@unikv/core'

/** The deltas between a base and a value. Immutable: an update makes another one. */
export interface Chain {
  readonly base: BaseRef
  /** When the first of its parts ends, in milliseconds since the epoch; `undefined`: never. */
  readonly partsExpireAt: number | undefined
  /** Where the older deltas are, in their order. */
  readonly records: readonly RecordRef[]
  /** The newest deltas themselves. */
  readonly inline: readonly Bytes[]
  /** Lengths of all values that the deltas make, added up. */
  readonly replayBytes: number
  /** Binds the base and all deltas in their order. */
  readonly link: Bytes
}

/** Where a base is. */
export interface BaseRef {
  /** 24 hexadecimal digits, as a version. */
  readonly id: string
  /** Length of the value that it holds. */
  readonly bytes: number
}

/** Where some deltas in a row are. */
export interface RecordRef {
  readonly id: string
  readonly deltas: number
  /** Length of the record. */
  readonly bytes: number
}

/** A value of a version, and how it came about. A fact that never changes. */
export interface Known {
  readonly version: Version
  readonly expiresAt: number | undefined
  readonly value: Bytes
  readonly chain: Chain | undefined
  /** The record is the value as it is: this layer did not write it. */
  readonly isPlain?: boolean | undefined
  /** How many values in a row had little in common with the one before. */
  readonly unlike?: number
}

/** How many deltas a chain has. */
export function deltasOf({ records, inline }: Pick<Chain, 'records' | 'inline'>): number {
  return records.reduce((sum, { deltas }) => sum + deltas, inline.length)
}

/** Bytes of all deltas of a chain. */
export function deltaBytesOf({ records, inline }: Pick<Chain, 'records' | 'inline'>): number {
  return records.reduce((sum, { bytes }) => sum + bytes, 0) + inlineBytesOf(inline)
}

/** Bytes of deltas in a head. */
export function inlineBytesOf(inline: readonly Bytes[]): number {
  return inline.reduce((sum, { length }) => sum + length, 0)
}
