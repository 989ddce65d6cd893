import { type Awaitable, type Entry, StoreError, type Version } from '@unikv/core'
import { checkMs, checkOptions, type OptionNames } from '@unikv/core/adapter'
import { checkTags } from './tags/tag-names.ts'

/** Context of a loader. */
export interface LoadContext {
  /** The version that the loader gave with the value that is kept; if it still is the one, it may return `notModified()`. */
  readonly ifNotVersion: Version | undefined
  /** Aborted when no caller waits for this load any more, and when the cache is closed. Made when it is first asked for. */
  readonly signal: AbortSignal
}

/** Result of a loader: a value, a value with its facts, *not modified*, or `undefined` for absent. */
export type LoadResult<V> = V | Loaded<V> | Unchanged | undefined

/** Asks the native client for one key. */
export type Loader<V, R extends LoadResult<V> = LoadResult<V>> = (context: LoadContext) => Awaitable<R>

/** Facts about a value, from the native client. */
export interface LoadFacts {
  /** Wall-clock expiry of the record itself, in milliseconds since the epoch: from then on it is absent. `Infinity`: never. */
  readonly expiresAt?: number | undefined
  /** The same, from now on. */
  readonly ttlMs?: number | undefined
  /** How long it is answered without asking, in the place of what the call or the cache says. */
  readonly freshForMs?: number | undefined
  /** Tags by which `invalidateTags` voids it: at most 64, of 1 to 512 characters. Added to those of the call and the cache. */
  readonly tags?: readonly string[] | undefined
}

/** The same, with what tells this value from others of its key. */
export interface VersionedFacts extends LoadFacts {
  /** ETag, revision, row version, …; compared for equality only. A load that asks again is told it. */
  readonly version?: Version | undefined
}

/** A value with what is known of it: see `loaded`. */
export class Loaded<out V> {
  readonly value: V
  readonly facts: VersionedFacts

  constructor(value: V, facts: VersionedFacts) {
    this.value = value
    this.facts = facts
  }
}

/** The kept value is still right: see `notModified`. */
export class Unchanged {
  readonly facts: LoadFacts
  /** Type-level only: no other object is one. */
  declare readonly '~unchanged': true

  constructor(facts: LoadFacts) {
    this.facts = facts
  }
}

/**
 * A loaded value with its version, its expiry, or how long it is fresh.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a bad fact
 */
export function loaded<V>(value: V, facts: VersionedFacts = {}): Loaded<V> {
  checkFacts('loaded', facts)
  return new Loaded(value, facts)
}

/**
 * Return this from a loader if the value of `ifNotVersion` is still right: no body is loaded. Without `expiresAt` or `ttlMs`
 * the entry keeps the expiry that it has.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a bad fact
 */
export function notModified(facts: LoadFacts = {}): Unchanged {
  checkFacts('notModified', facts)
  return new Unchanged(facts)
}

/** The absolute expiry that facts say; `undefined`: never. */
export function expiryOf({ expiresAt, ttlMs }: LoadFacts, now: number): number | undefined {
  const at = ttlMs === undefined ? expiresAt : Math.ceil(now + ttlMs)
  return at === Number.POSITIVE_INFINITY ? undefined : at
}

/** A value with its facts as an entry. */
export function entryOfLoaded<V>({ value, facts }: Loaded<V>, now: number): Entry<V> {
  return { value, version: facts.version, expiresAt: expiryOf(facts, now) }
}

const factNames: OptionNames<LoadFacts> = { expiresAt: true, ttlMs: true, freshForMs: true, tags: true }
const versionedNames: OptionNames<VersionedFacts> = { ...factNames, version: true }

/** Refuse facts that are none. */
export function checkFacts(whose: 'put' | 'loaded' | 'notModified', facts: VersionedFacts): void {
  checkOptions(whose, facts, whose === 'notModified' ? factNames : versionedNames, 'INVALID_ARGUMENT')
  const { version, expiresAt, ttlMs, freshForMs, tags } = facts
  if (version !== undefined && (typeof version !== 'string' || version === ''))
    throw invalid('version must be a string, not an empty one.')
  if (expiresAt !== undefined && !(typeof expiresAt === 'number' && expiresAt > 0))
    throw invalid('expiresAt must be a time in milliseconds since the epoch.')
  checkMs({ ttlMs }, { code: 'INVALID_ARGUMENT' })
  if (expiresAt !== undefined && ttlMs !== undefined) throw invalid('Give expiresAt or ttlMs, not both.')
  checkMs({ freshForMs }, { least: 0, code: 'INVALID_ARGUMENT' })
  checkTags(tags)
}

/** The error of an argument that is none. */
export function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
