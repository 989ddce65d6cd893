import { StoreError } from '@unikv/core'
import { checkedKey } from '@unikv/core/adapter'

/** Stands for the store where the length of a key is checked. */
export const keeper = { name: 'cache', capabilities: { maxKeyBytes: 65_536 } } as Parameters<
  typeof checkedKey
>[0]

/** The keys that calls bring: each call looks here first, so after `close` each is refused. */
export class Keys {
  #isClosed = false

  close(): void {
    this.#isClosed = true
  }

  /** @throws {StoreError} `CLOSED` */
  checkOpen(): void {
    if (this.#isClosed) throw closed()
  }

  /** @throws {StoreError} `CLOSED`, `INVALID_KEY` or `KEY_TOO_LONG` */
  canonical(key: string): string {
    if (this.#isClosed) throw closed()
    return checkedKey(keeper, '', key)
  }

  /** Canonical keys by those of the application, each once. */
  many(operation: string, keys: Iterable<string>): ReadonlyMap<string, string> {
    if (
      typeof keys === 'string' ||
      typeof (keys as Partial<Iterable<string>>)?.[Symbol.iterator] !== 'function'
    )
      throw new StoreError('INVALID_ARGUMENT', `${operation}() takes an iterable of keys, such as an array.`)
    return new Map(Array.from(keys, (key) => [key, this.canonical(key)]))
  }
}

/** The error of a call on a cache that is closed. */
export function closed(): StoreError {
  return new StoreError('CLOSED', 'This cache is closed. Make a new one.')
}
