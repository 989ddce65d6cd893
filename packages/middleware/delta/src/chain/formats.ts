/*
 * The records of the layer, described byte by byte in docs/reference/delta-records.md. UTF-8 text never has the first byte.
 */

/** First byte of every record of this layer, format 1. */
export const magic = 0xf9

/** Second byte: what the record is. */
export const recordKinds = { whole: 1, chain: 2, base: 3, deltas: 4 } as const

/** Most deltas that a chain can have, with any settings of its writer. */
export const mostDeltas = 1024

/** Most bytes that applying all deltas of a chain may make, the base not counted. */
export const mostReplayBytes: number = 2 ** 28

/** Bytes in front of a value that a head holds whole. */
export const wholeHeaderBytes = 6

/** Bytes of an id, of a hash, and of a time. */
export const idBytes = 12
export const hashBytes = 32
export const timeBytes = 6
