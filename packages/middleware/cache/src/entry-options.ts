import { func, ms, type OptionsOf, type SettingsOf } from '@unikv/core/adapter'

/**
 * Why an entry is gone: another one took its place (`'replaced'`), it made room (`'evicted'`), it was found to have ended
 * (`'expired'`), or its key was written, invalidated or cleared (`'removed'`).
 */
export type RemovalCause = 'replaced' | 'evicted' | 'expired' | 'removed'

export const entryTable = {
  /**
   * Whether an entry is kept, from its key (without namespaces) and its value (`undefined`: absent). Asked once for each
   * load. Where it throws, the value is answered and not kept (`stats().refusals`). @default all
   */
  keepIf: func<(key: string, value: unknown) => boolean>(),
  /**
   * How long an unread entry is kept, from its last hit, in milliseconds: each hit begins this time anew. It
   * prolongs nothing: `freshForMs` ends an entry too. @default Infinity
   */
  idleForMs: ms(Number.POSITIVE_INFINITY),
  /**
   * Told of each entry that is gone, soon afterwards: its key (without namespaces), its value (`undefined`: absent), and why.
   * Errors it throws are ignored. Cannot be combined with `in`, whose object may have such a function.
   */
  onRemove: func<(key: string, value: unknown, cause: RemovalCause) => unknown>(),
}

/** Functions of the application that a cache in this process calls for each entry. */
export interface EntryOptions extends OptionsOf<typeof entryTable> {}

/** How long an entry is fresh, from its key (without namespaces) and its value. */
export type FreshFor = (key: string, value: unknown) => number

/** Resolved. */
export interface EntrySettings extends SettingsOf<typeof entryTable> {
  readonly freshFor: FreshFor | undefined
}
