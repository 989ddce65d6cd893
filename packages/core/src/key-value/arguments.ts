import type { Capabilities } from '../contract/capabilities.ts'
import { StoreError } from '../contract/errors.ts'
import type { Version } from '../contract/store.ts'
import { isVersion } from '../contract/version.ts'
import { canonicalKey, keyBytes } from '../keys/canonical-key.ts'
import { kindOf } from '../options/check-options.ts'
import { layersOf } from '../stack/layers-of.ts'

// Checks of what applications pass to a KeyValue, before anything is sent.

/** A hundred years: above it lies a mistake in units. */
const maxTtlMs = 3_155_760_000_000

/** The properties of a store that the checks need. */
interface Target {
  readonly name: string
  readonly capabilities: Capabilities
}

/** Capabilities that make an operation possible. */
export type Demandable =
  | 'conditionalRead'
  | 'conditionalWrite'
  | 'touch'
  | 'increment'
  | 'ttl'
  | 'scan'
  | 'find'

/** The canonical key of a user key, after all checks. */
export function checkedKey(store: Target, prefix: string, key: unknown): string {
  if (typeof key !== 'string' || key === '' || !key.isWellFormed()) throw invalidKey(key)
  const canonical = canonicalKey(prefix, key)
  // A UTF-16 unit has at most three bytes: most keys need not be measured.
  if (canonical.length * 3 > store.capabilities.maxKeyBytes) measure(store, canonical)
  return canonical
}

function measure({ name, capabilities: { maxKeyBytes } }: Target, canonical: string): void {
  const length = keyBytes(canonical)
  if (length <= maxKeyBytes) return
  const message = `The key has ${length} bytes with its namespace; ${name} allows ${maxKeyBytes}.`
  throw new StoreError('KEY_TOO_LONG', message)
}

/** Refuse an operation that the store does not declare. */
export function demand(store: Target, capability: Demandable, operation: string): void {
  if ((store.capabilities[capability] ?? false) !== false) return
  const message = `${whyNot(store, capability)}, which ${operation} needs.${wayRound[capability] ?? ''}`
  throw new StoreError('UNSUPPORTED', message, { operation, store: store.name })
}

/** Advice for the error message. */
const wayRound: Partial<Record<Demandable, string>> = {
  increment: ' Use update(), or a second KeyValue over the same store without that layer.',
  touch: ' Use update() with ttlMs and the same value.',
  conditionalRead: ' Use getEntry().',
  find: ' With scan: true all records of the namespace are read instead.',
}

/** Which layer takes the capability away, or that the store lacks it. */
function whyNot(store: Target, capability: Demandable): string {
  const place = layersOf(store).find(({ inner }) => (inner.capabilities[capability] ?? false) !== false)
  if (place === undefined) return `${store.name} does not declare ${capability}`
  return `${store.name} declares ${capability}, but ${place.layer.name} above it removes it`
}

/** `ifVersion` as the store gets it. */
export function checkedCondition(
  store: Target,
  operation: string,
  ifVersion: unknown,
): Version | null | undefined {
  if (ifVersion === undefined) return undefined
  demand(store, 'conditionalWrite', operation)
  if (ifVersion === null || isVersion(ifVersion)) return ifVersion
  const message = `ifVersion must be a version of getEntry or a write (24 hexadecimal digits), or null for a new key, got ${typeof ifVersion === 'string' ? 'another text' : kindOf(ifVersion)}.`
  throw new StoreError('INVALID_ARGUMENT', message)
}

/** Expiry as the caller gave it; checked here. */
export interface AnyExpiry {
  readonly ttlMs?: unknown
  readonly expiresAt?: unknown
}

/** `ttlMs` or `expiresAt` as an absolute expiry. */
export function checkedExpiry(
  store: Target,
  operation: string,
  { ttlMs, expiresAt }: AnyExpiry,
  now: () => number,
): number | 'keep' | undefined {
  if (ttlMs === undefined && expiresAt === undefined) return undefined
  demand(store, 'ttl', operation)
  if (expiresAt === undefined) return fromNow(ttlMs, now)
  if (ttlMs === undefined) return atTime(expiresAt, now())
  throw new StoreError('INVALID_ARGUMENT', 'Give `ttlMs` or `expiresAt`, not both.')
}

function fromNow(ttlMs: unknown, now: () => number): number | 'keep' | undefined {
  if (ttlMs === 'keep') return ttlMs
  if (ttlMs === Number.POSITIVE_INFINITY) return undefined
  if (typeof ttlMs === 'number' && ttlMs > 0 && ttlMs <= maxTtlMs) return Math.ceil(now() + ttlMs)
  const message = `ttlMs must be a number of milliseconds above 0 and at most ${maxTtlMs}, Infinity, or 'keep'.`
  throw new StoreError('INVALID_ARGUMENT', message)
}

function atTime(expiresAt: unknown, now: number): number | undefined {
  if (expiresAt === Number.POSITIVE_INFINITY) return undefined
  const isTime = typeof expiresAt === 'number' && expiresAt >= 0 && expiresAt <= now + maxTtlMs
  // 0 means that the expiry has passed; a time so long ago was meant in seconds.
  if (isTime && (expiresAt === 0 || expiresAt > now / 100)) return Math.ceil(expiresAt)
  throw new StoreError(
    'INVALID_ARGUMENT',
    'expiresAt must be a time in milliseconds since 1970, such as Date.now() + 60_000 or date.getTime().',
  )
}

/** Whether a record with this expiry would be gone at once. */
export function hasPassed(expiresAt: number | 'keep' | undefined, now: () => number): expiresAt is number {
  return typeof expiresAt === 'number' && expiresAt <= now()
}

/** The expiry of an operation that has nothing to keep. */
export function checkedNewExpiry(
  operation: string,
  expiresAt: number | 'keep' | undefined,
): number | undefined {
  if (expiresAt !== 'keep') return expiresAt
  throw new StoreError(
    'INVALID_ARGUMENT',
    `${operation} takes ttlMs in milliseconds, or undefined for none; not 'keep'.`,
  )
}

function invalidKey(key: unknown): StoreError {
  if (typeof key !== 'string')
    return new StoreError(
      'INVALID_KEY',
      `A key must be a string, or the type of the key codec (bytesKey, tupleKey), got ${kindOf(key)}.`,
    )
  const what =
    key === '' ? 'not be empty' : 'be well-formed: it holds a lone surrogate. Use bytesKey for binary keys'
  return new StoreError('INVALID_KEY', `A key must ${what}.`)
}
