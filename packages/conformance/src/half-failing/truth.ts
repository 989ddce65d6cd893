import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { type Entry, isStoreError } from '@unikv/core'
import { isSame } from '../assertions.ts'
import type { AnyKeyValue } from '../fixture.ts'

/** A record as far as calls change it; `undefined`: there is none. */
export type Found = { readonly value: unknown; readonly expires: boolean } | undefined

/** Records by key. */
export type Records = Readonly<Record<string, Found>>

/** The records under these keys. A cache must answer with the values of the store. */
export async function recordsOf(kv: AnyKeyValue, keys: readonly string[]): Promise<Records> {
  const isStrong = kv.capabilities.consistency.includes('strong')
  const found = await Promise.all(
    keys.map(async (key) => {
      const plain = foundOf(await kv.getEntry(key))
      const strong = isStrong ? foundOf(await kv.getEntry(key, { consistency: 'strong' })) : plain
      assert.ok(isSame(plain, strong), `${key}: a plain read sees what a strong one does`)
      return [key, plain] as const
    }),
  )
  return Object.fromEntries(found)
}

function foundOf(entry: Entry<unknown> | undefined): Found {
  return entry && { value: entry.value, expires: entry.expiresAt !== undefined }
}

/** Compares the answer of a call with the records. */
export interface Told {
  readonly outcome: PromiseSettledResult<unknown>
  readonly before: Records
  /** The records if all of the call had taken effect. */
  readonly whole: Records
  readonly now: Records
  /** The keys in the order of `error.results`. */
  readonly keys: readonly string[]
  /** The store tells what a delete removed, so that nothing is left to be counted. */
  readonly isCounted: boolean
}

/** Fail unless the outcome is true of what is there. */
export function assertTrue({ outcome, before, whole, now, keys, isCounted }: Told): void {
  const is = (key: string, records: Records) => isSame(now[key], records[key])
  const changed = keys.filter((key) => !isSame(before[key], whole[key]))
  const shown = outcome.status === 'rejected' ? inspect(outcome.reason) : 'success'
  const must = (holds: boolean, key: string, what: string) =>
    assert.ok(holds, `${key} ${what}, but is ${inspect(now[key])}, after ${shown}`)
  for (const key of keys)
    must(is(key, before) || is(key, whole), key, 'is as before, or as the call leaves it')
  if (outcome.status === 'fulfilled') {
    for (const key of keys) must(is(key, whole), key, 'is as the call leaves it')
    return
  }
  const error: unknown = outcome.reason
  assert.ok(isStoreError(error), `the error is a StoreError, not ${shown}`)
  const { code, results, done } = error
  if (code === 'OUTCOME_UNKNOWN') return
  if (code !== 'PARTIAL') for (const key of keys) must(is(key, before), key, 'is unchanged')
  else if (done !== undefined) {
    const { length } = changed.filter((key) => !is(key, before))
    assert.ok(isCounted ? length === done : length >= done, `${length} were changed, after ${shown}`)
  } else
    for (const [i, key] of keys.entries()) {
      const result = results?.[i]
      if (!isStoreError(result)) must(is(key, whole), key, 'is as its result says')
      else if (result.code !== 'OUTCOME_UNKNOWN')
        must(is(key, before), key, 'is unchanged, as its error says')
    }
}
