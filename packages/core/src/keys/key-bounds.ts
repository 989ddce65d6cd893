import type { ScanRange } from '../contract/store.ts'
import { afterPrefix, compareKeys } from './canonical-key.ts'

/** Keys from `start` on, and before `end`; without `end` all that follow. */
export interface KeyBounds<K> {
  readonly start: K
  readonly end: K | undefined
}

/** The keys of a range as a whole, without its cursor. */
export function keyBounds({ prefix, gte, lt }: Pick<ScanRange, 'prefix' | 'gte' | 'lt'>): KeyBounds<string> {
  const start = gte === undefined || compareKeys(gte, prefix) < 0 ? prefix : gte
  const next = afterPrefix(prefix)
  const end = next === undefined || (lt !== undefined && compareKeys(lt, next) < 0) ? lt : next
  return { start, end }
}

/** The keys of a range as UTF-8; `resume` is the last key that was listed. */
export function byteBounds(range: ScanRange, resume: Buffer | undefined): KeyBounds<Buffer> {
  const { start, end } = keyBounds(range)
  const whole = { start: Buffer.from(start), end: end === undefined ? undefined : Buffer.from(end) }
  return resume === undefined ? whole : boundsBeyond(resume, whole, range.reverse)
}

/**
 * The keys that follow one in the direction of a listing. A cursor comes from outside: it leads to no key out of the
 * bounds.
 */
export function boundsBeyond(
  key: Uint8Array,
  { start, end }: KeyBounds<Buffer>,
  reverse: boolean | undefined,
): KeyBounds<Buffer> {
  if (reverse === true)
    return { start, end: end === undefined || Buffer.compare(key, end) < 0 ? Buffer.from(key) : end }
  const next = Buffer.concat([key, smallestStep])
  return { start: Buffer.compare(next, start) > 0 ? next : start, end }
}

/** Key and this: the smallest bytes above the key. */
const smallestStep = Buffer.alloc(1)
