import type { Bytes } from '@unikv/core'
import type { Random } from '../../random/random.ts'
import type { EditPattern } from './config.ts'

/** An edit of a value. */
export interface EditRequest {
  readonly edit: EditPattern
  /** Share of the bytes, above 0 and at most 1. */
  readonly share: number
  /** Bytes of the value before its first update. */
  readonly originalBytes: number
  readonly random: Random
}

/** Bytes that scattered edits write over at once, such as a number or a date. */
const spotBytes = 8
/** Blocks that are moved at once. */
const movedBlocks = 4

/**
 * The value after one more update; the argument stays as it is. New bytes are letters by the seed, which have nothing in
 * common with others.
 *
 * - `append`: a share of the original bytes is added at the end; a value that would get twice as long is cut back
 * - `scattered`: runs of 8 bytes, evenly strewn, are written over
 * - `moves`: four blocks are cut out, and put in elsewhere
 * - `random`: another value of that length
 */
export function edited(value: Bytes, request: EditRequest): Bytes {
  const { edit, share, originalBytes, random } = request
  if (edit === 'random') return letters(value.length, random)
  const changed = Math.max(1, Math.round(share * (edit === 'append' ? originalBytes : value.length)))
  if (edit === 'scattered') return scattered(value, changed, random)
  if (edit === 'moves') return moved(value, changed, random)
  if (value.length + changed > 2 * originalBytes) return value.slice(0, originalBytes)
  return Buffer.concat([value, letters(changed, random)])
}

/** One spot in each of as many equal stretches: together exactly so many bytes, but for a rest of a spot. */
function scattered(value: Bytes, changed: number, random: Random): Bytes {
  const length = Math.min(spotBytes, changed, value.length)
  const spots = Math.max(1, Math.floor(changed / length))
  const stretch = value.length / spots
  const copy = Buffer.from(value)
  for (let i = 0; i < spots; i++) {
    const from = Math.floor(i * stretch)
    const room = Math.floor((i + 1) * stretch) - from - length
    copy.set(letters(length, random), from + below(room + 1, random))
  }
  return copy
}

function moved(value: Bytes, changed: number, random: Random): Bytes {
  const length = Math.max(1, Math.min(Math.floor(changed / movedBlocks), value.length >> 1))
  let result = Buffer.from(value)
  for (let i = 0; i < movedBlocks; i++) {
    const from = below(result.length - length + 1, random)
    const block = result.subarray(from, from + length)
    const rest = Buffer.concat([result.subarray(0, from), result.subarray(from + length)])
    const to = below(rest.length + 1, random)
    result = Buffer.concat([rest.subarray(0, to), block, rest.subarray(to)])
  }
  return result
}

function letters(length: number, random: Random): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 4) {
    let bits = random.uint32()
    for (let i = at; i < Math.min(at + 4, length); i++, bits >>>= 8)
      bytes[i] = 97 + (((bits & 255) * 26) >> 8)
  }
  return bytes
}

function below(limit: number, random: Random): number {
  return Math.floor(random.next() * Math.max(1, limit))
}
