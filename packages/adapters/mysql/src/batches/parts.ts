import { powerOfTwoFrom } from './padded.ts'

/** Cost of a statement, in rows of up to a few KiB: measured, client and server together. */
const statementCost = 4
/** Rows above this many bytes are too dear to be sent twice. */
const maxRepeatedBytes = 4_096

/** The known part of a row. */
interface Sized {
  readonly bytes: number
}

/**
 * Cut rows into statements of 1, 2, 4, 8, … rows, so that each connection prepares few of them: into several, or
 * with the last row repeated where that is cheaper than another statement (an upsert that holds a row twice does
 * what it does with the row once). No statement has more than `maxBytes`, unless a single row has.
 */
export function parts<T extends Sized>(rows: readonly T[], maxBytes: number): readonly (readonly T[])[] {
  const cut: (readonly T[])[] = []
  for (let start = 0; start < rows.length; ) {
    const { count, bytes } = fittingFrom(rows, start, maxBytes)
    const above = powerOfTwoFrom(count)
    if (count === rows.length && count === above) return [rows]
    const last = rows[start + count - 1] as T
    const repeats = last.bytes <= maxRepeatedBytes && bytes + (above - count) * last.bytes <= maxBytes
    const size = above === count || (repeats && above <= costOf(count)) ? above : above / 2
    cut.push(Array.from({ length: size }, (_, i) => (i < count ? (rows[start + i] as T) : last)))
    start += Math.min(size, count)
  }
  return cut
}

/** How many rows from here fit into one statement (one always does), and their bytes. */
function fittingFrom(
  rows: readonly Sized[],
  start: number,
  maxBytes: number,
): Sized & { readonly count: number } {
  let bytes = (rows[start] as Sized).bytes
  let end = start + 1
  for (let row = rows[end]; row !== undefined && bytes + row.bytes <= maxBytes; row = rows[++end])
    bytes += row.bytes
  return { count: end - start, bytes }
}

/** Cost of this many rows, in rows and without the first statement's own cost, if they are cut in the best way. */
function costOf(count: number): number {
  const above = powerOfTwoFrom(count)
  const rest = count - above / 2
  return above === count ? count : Math.min(above, above / 2 + statementCost + costOf(rest))
}
