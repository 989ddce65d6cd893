import { deflateSync } from 'node:zlib'
import type { Histogram } from '@unikv/core/histogram'

/** One line of a log: the values of an interval, in nanoseconds. */
export interface HlogInterval {
  /** Name of the series, such as the operation; what the format does not allow in a name becomes `-`. */
  readonly tag?: string | undefined
  /** Milliseconds from the start of the log. */
  readonly startMs: number
  readonly lengthMs: number
  readonly histogram: Histogram
}

/**
 * Histograms as the text of an `.hlog` file: log format 1.3 of HdrHistogram, with compressed V2 histograms, which its tools and
 * its libraries in other languages read. Values keep their unit, nanoseconds; the column of maxima is in milliseconds. A
 * value above `highest` is logged as `highest`.
 *
 * @param startedAt milliseconds since 1970
 */
export function hlog(startedAt: number, intervals: readonly HlogInterval[]): string {
  return [
    '#[Histogram log format version 1.3]',
    `#[StartTime: ${(startedAt / 1_000).toFixed(3)} (seconds since epoch), ${new Date(startedAt).toISOString()}]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ...intervals.map(line),
    '',
  ].join('\n')
}

function line({ tag, startMs, lengthMs, histogram }: HlogInterval): string {
  const maxMs = histogram.count === 0 ? 0 : histogram.max / 1e6
  const columns = [startMs / 1_000, lengthMs / 1_000, maxMs].map((value) => value.toFixed(3))
  if (tag !== undefined) columns.unshift(`Tag=${tag.replaceAll(/[\s,]/g, '-')}`)
  return [...columns, compressed(histogram)].join(',')
}

const COOKIE = 0x1c849313
const COMPRESSED_COOKIE = 0x1c849314
const HEADER_BYTES = 40
/** Bits of precision that HdrHistogram has for 1 to 5 significant digits. */
const bitsOfDigits = [4, 7, 10, 14, 17] as const

/** The compressed V2 encoding, as base64: two words, then the deflated encoding. */
function compressed(histogram: Histogram): string {
  const body = deflateSync(encoded(histogram))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(COMPRESSED_COOKIE, 0)
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body]).toString('base64')
}

/** The V2 encoding: a header, then counts, with runs of zeros as negative numbers. */
function encoded(histogram: Histogram): Uint8Array {
  const { precisionBits, highest, counts } = histogram.data()
  const digits = 1 + bitsOfDigits.findIndex((bits) => bits >= precisionBits)
  const payload: number[] = []
  let next = 0
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue
    const index = hdrIndex(middleOf(bucket, precisionBits), bitsOfDigits[digits - 1] as number)
    if (index > next) pushZigZag(payload, index - next === 1 ? 0 : next - index)
    pushZigZag(payload, count)
    next = index + 1
  }
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(COOKIE, 0)
  header.writeUInt32BE(payload.length, 4)
  header.writeInt32BE(digits, 12)
  header.writeBigInt64BE(1n, 16)
  header.writeBigInt64BE(BigInt(Math.floor(highest)), 24)
  header.writeDoubleBE(1, 32)
  return Buffer.concat([header, Uint8Array.from(payload)])
}

/** A whole value in the middle of a bucket of ours; see `Histogram`. */
function middleOf(bucket: number, bits: number): number {
  const shift = Math.max(0, Math.floor(bucket / 2 ** bits) - 1)
  return (bucket - shift * 2 ** bits) * 2 ** shift + Math.floor((2 ** shift - 1) / 2)
}

/** Index of a value in HdrHistogram's array of counts: the same numbers as ours where the bits are the same. */
function hdrIndex(value: number, bits: number): number {
  const shift = Math.max(0, Math.floor(Math.log2(value)) - bits)
  return shift * 2 ** bits + Math.floor(value / 2 ** shift)
}

/** ZigZag LEB128. Counts are whole numbers below 2^52, so the special ninth byte of the format never comes. */
function pushZigZag(payload: number[], value: number): void {
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  for (; rest >= 128; rest = Math.floor(rest / 128)) payload.push((rest % 128) + 128)
  payload.push(rest)
}
