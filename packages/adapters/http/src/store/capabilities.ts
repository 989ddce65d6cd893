import type { Capabilities } from '@unikv/core'
import { capabilitiesIn, invalidConfig, lackingIn } from '@unikv/core/adapter'

/**
 * The abilities of a store behind HTTP, where its program does not say more: those of nearly all stores. `capabilitiesOf` asks
 * the server for all of them.
 */
export const portable = Object.freeze({
  scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: false,
  increment: false,
  existed: false,
  find: false,
  batch: { atomicity: 'none', maxItems: 100, maxBytes: 1_048_576, coalesce: { min: 2, max: 32 } },
  maxKeyBytes: 180,
  maxValueBytes: 1_000_000,
  durability: 'memory',
  isolation: 'eventual',
  consistency: [],
  evicts: false,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Capabilities)

/** The abilities of the store behind the server that a program names in place of those in `portable`. */
export type HttpOffer = Partial<Omit<Capabilities, 'documents' | 'deltas' | 'sync'>>

/** Capabilities of a store behind HTTP. */
export type HttpCapabilities<C extends HttpOffer = HttpOffer> = Capabilities & {
  readonly [K in keyof typeof portable]: K extends keyof C ? C[K] : (typeof portable)[K]
}

/** The abilities that a server tells of a store, as far as they come through HTTP; `undefined`: they are none that there are. */
export function offeredIn(told: unknown): Capabilities | undefined {
  const own = capabilitiesIn(told)
  return own?.documents === false && own.sync === 'none' && !own.deltas ? own : undefined
}

/**
 * Refuse to promise more than the server's store can keep.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the names of what it lacks
 */
export function checkKept(promised: Capabilities, kept: Capabilities, where: string): void {
  const lacking = lackingIn(promised, kept)
  if (lacking.length === 0) return
  throw invalidConfig(
    `The store at ${where} does not offer what is said of it: ${lacking.join(', ')}. Ask it by capabilitiesOf(), or change \`capabilities\`.`,
  )
}
