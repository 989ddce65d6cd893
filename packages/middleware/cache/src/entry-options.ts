import { checkedMs, kindOf } from '@unikv/core/adapter'
import { invalid } from './cache-options.ts'

/**
 * Why an entry is gone: another one took its place (`'replaced'`), it made room (`'evicted'`), it was found to have ended
 * (`'expired'`), or its key was written, invalidated or cleared (`'removed'`).
 */
export type RemovalCause = 'replaced' | 'evicted' | 'expired' | 'removed'

/** Functions of the application that a cache in this process calls for each entry. */
export interface EntryOptions {
  /**
   * Whether an entry is kept, from its key (without namespaces) and its value (`undefined`: absent). Asked once for each
   * load. Where it throws, the value is answered and not kept (`stats().refusals`). @default all
   */
  readonly keepIf?: ((key: string, value: unknown) => boolean) | undefined
  /**
   * How long an entry that nobody reads is kept, from its last hit, in milliseconds: each hit begins this time anew. It
   * prolongs nothing: `freshForMs` ends an entry too. @default Infinity
   */
  readonly idleForMs?: number | undefined
  /**
   * Told of each entry that is gone, soon afterwards: its key (without namespaces), its value (`undefined`: absent), and why.
   * Errors it throws are ignored. Cannot be combined with `in`, whose object may have such a function.
   */
  readonly onRemove?: ((key: string, value: unknown, cause: RemovalCause) => unknown) | undefined
}

/** How long an entry is fresh, from its key (without namespaces) and its value. */
export type FreshFor = (key: string, value: unknown) => number

/** Resolved. */
export interface EntrySettings {
  readonly keepIf: EntryOptions['keepIf']
  readonly freshFor: FreshFor | undefined
  readonly idleForMs: number
  readonly onRemove: EntryOptions['onRemove']
}

/** @throws {StoreError} `INVALID_CONFIG` */
export function entrySettings(
  { keepIf, idleForMs = Number.POSITIVE_INFINITY, onRemove }: EntryOptions,
  freshForMs: number | FreshFor | undefined,
): EntrySettings {
  for (const [name, own] of Object.entries({ keepIf, onRemove }))
    if (own !== undefined && typeof own !== 'function')
      throw invalid(`\`${name}\` of cache() must be a function, got ${kindOf(own)}.`)
  checkedMs('idleForMs', idleForMs, {})
  return { keepIf, freshFor: typeof freshForMs === 'function' ? freshForMs : undefined, idleForMs, onRemove }
}
