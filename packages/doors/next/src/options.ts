import { StoreError } from '@unikv/core'
import { checkedMs, checkFactoryOptions, checkKeyValue, kindOf, unfailingListener } from '@unikv/core/adapter'

/** Options of both handlers. */
export interface NextCacheOptions {
  /** Longest life of an entry, on stores that let records expire. @default 2_592_000_000 (30 days) */
  readonly ttlMs?: number | undefined
  /**
   * Told of each failure of the store to read or write an entry. Next.js then works as if the entry were not there.
   * Without this function such failures reject, and Next.js answers requests with 500. Failures to revalidate a tag
   * always reject. Errors that the function throws are ignored.
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Options as the handlers use them. */
export interface Settings {
  readonly ttlMs: number
  /** The outcome of work, or `instead` where an application wants to hear of failures. */
  readonly attempt: <T, I>(work: () => Promise<T>, instead: I) => Promise<T | I>
}

const mostMs = 100 * 365 * 86_400_000

/**
 * Checked arguments of both handlers.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(whose: string, open: unknown, options: NextCacheOptions): Settings {
  if (typeof open !== 'function')
    throw new StoreError(
      'INVALID_CONFIG',
      `${whose}() takes a function that makes a KeyValue, got ${kindOf(open)}. Write ${whose}(() => keyValue(store, [structured()])).`,
    )
  checkFactoryOptions(whose, options, { ttlMs: true, onError: true })
  const ttlMs = checkedMs('ttlMs', options.ttlMs ?? 30 * 86_400_000, { most: mostMs })
  const { onError } = options
  const told = unfailingListener(whose, 'onError', onError)
  return {
    ttlMs,
    attempt: async (work, instead) => {
      if (onError === undefined) return work()
      try {
        return await work()
      } catch (error) {
        told(error)
        return instead
      }
    },
  }
}

/**
 * The KeyValue that `open` has made, checked.
 *
 * @throws {StoreError} `INVALID_CONFIG`, also for a promise
 */
export function opened<KV>(whose: string, kv: KV): KV {
  checkKeyValue(`open of ${whose}`, kv)
  return kv
}
