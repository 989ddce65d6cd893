import { isStoreError, isWritten, newVersion, type SetMutation, StoreError, toStoreError } from '@unikv/core'
import { type Call, inParallel, itemBytes, keyBytes, split, within } from '@unikv/core/adapter'
import { isBytes, wallClock } from '@unikv/core/platform'
import type { Stored } from '../places/pages.ts'
import type { Place } from '../places/place.ts'
import { mayPass, retried, type Ways } from '../ways.ts'

/** Batches that are under way at the same time. */
const lanes = 4

/** The options of one call. */
export function callOf({ timeoutMs, signal }: Ways): Call {
  return within(timeoutMs, { signal })
}

/** How records are written. */
export interface Manner {
  readonly keepsExpiry: boolean
  /** Called before records are sent again. It rejects if they must not be. */
  readonly again: () => Promise<void>
}

/** Writes records into a place as they are: value, version and expiry. */
export class Writer {
  readonly #place: Place
  readonly #ways: Ways
  readonly #how: Manner

  constructor(place: Place, ways: Ways, how: Manner) {
    this.#place = place
    this.#ways = ways
    this.#how = how
  }

  /**
   * Write a page, and return how many of its records had run out of time.
   *
   * @throws {StoreError} `KEY_TOO_LONG` and `VALUE_TOO_LARGE` with the key, before anything of the page is written; errors of the store
   */
  async write(records: readonly Stored[]): Promise<number> {
    const now = wallClock()
    const live = records.filter(({ entry }) => (entry.expiresAt ?? Number.POSITIVE_INFINITY) > now)
    const mutations = live.map((record) => this.#mutation(record))
    if (mutations.length > 0) {
      const parts = split(mutations, this.#place.store.capabilities.batch, itemBytes)
      await inParallel(parts, lanes, (part) => this.#part(part))
    }
    return records.length - live.length
  }

  #mutation({ key, entry }: Stored): SetMutation<unknown> {
    const { name, capabilities } = this.#place.store
    const length = keyBytes(key)
    if (length > capabilities.maxKeyBytes)
      throw new StoreError(
        'KEY_TOO_LONG',
        `A key has ${length} bytes; the target allows ${capabilities.maxKeyBytes}.`,
        { key, store: name, operation: 'write' },
      )
    if (isBytes(entry.value) && entry.value.length > capabilities.maxValueBytes)
      throw new StoreError(
        'VALUE_TOO_LARGE',
        `A value has ${entry.value.length} bytes; the target allows ${capabilities.maxValueBytes}.`,
        { key, store: name, operation: 'write' },
      )
    const expiresAt = this.#how.keepsExpiry ? entry.expiresAt : undefined
    return { type: 'set', key, value: entry.value, version: entry.version ?? newVersion(), expiresAt }
  }

  /** Each round sends what the round before could not write. */
  async #part(part: readonly SetMutation<unknown>[]): Promise<void> {
    let left = part
    let isAgain = false
    await retried(this.#ways, async () => {
      if (isAgain) await this.#how.again()
      isAgain = true
      const results = await this.#place.store.write(left, callOf(this.#ways))
      const failed = left.filter((_, i) => !isWritten(results[i] as never))
      if (failed.length === 0) return
      const errors = left.flatMap(({ key }, i) => {
        const result = results[i]
        return isStoreError(result) ? [toStoreError(result, { key, operation: 'write' })] : []
      })
      left = failed
      throw errors.find((error) => !mayPass(error)) ?? errors[0] ?? refused(this.#place.store.name)
    })
  }
}

function refused(name: string): StoreError {
  return new StoreError('UNAVAILABLE', 'The target did not write all records.', { store: name })
}
