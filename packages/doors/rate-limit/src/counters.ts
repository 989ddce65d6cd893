import { type Bytes, type Entry, type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { checkKeyValue } from '@unikv/core/adapter'

/** Numbers as decimal text, without a codec: the store itself adds to them, and lets them expire. */
export type Counters = KeyValue<string, Bytes, Supporting<'increment' | 'ttl'>>

/**
 * For callers whom no compiler has told.
 *
 * @throws {StoreError} `INVALID_CONFIG` for anything but a KeyValue; `UNSUPPORTED`
 */
export function checkCounters(whose: string, kv: KeyValue<string, Bytes>): void {
  checkKeyValue(whose, kv)
  for (const feature of ['increment', 'ttl'] as const) {
    if (supports(kv, feature)) continue
    throw new StoreError('UNSUPPORTED', `${kv.name} does not have '${feature}', which exact limits need.`)
  }
}

/**
 * The counters of one limit: a namespace, since the keys of two limits would meet where one prefix begins the other. Keys
 * have the prefix, too, so that a client with an empty name has one.
 */
export function withinPrefix(kv: Counters, prefix: string): Counters {
  return prefix === '' ? kv : kv.namespace(prefix)
}

/** A number and when it expires. */
export type Count = Pick<Entry<number>, 'value' | 'expiresAt'>

/**
 * The number that `incrementEntry` has made of a key.
 *
 * @throws {StoreError} `INVALID_VALUE` for a record that is not a counter, as `incrementEntry` does
 */
export async function countOf(kv: Counters, key: string): Promise<Count | undefined> {
  const entry = await kv.getEntry(key)
  if (entry === undefined) return undefined
  const text = Buffer.from(entry.value).toString()
  if (/^-?\d+$/.test(text)) return { value: Number(text), expiresAt: entry.expiresAt }
  const message = 'The record is not a counter: its value is not a safe integer in decimal.'
  throw new StoreError('INVALID_VALUE', message, { key, store: kv.name })
}

/**
 * A number as `incrementEntry` takes it.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for one that it could not add to
 */
export function counterOf(points: number): Bytes {
  if (Number.isSafeInteger(points)) return Buffer.from(String(points))
  throw new StoreError('INVALID_ARGUMENT', `Points must be a safe integer, got ${points}.`)
}
