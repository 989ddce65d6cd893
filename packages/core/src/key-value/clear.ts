import type { Guard, Keyed } from '../batches/program-order.ts'
import { type Awaitable, andThen, isPromise } from '../contract/awaitable.ts'
import { isWritten } from '../contract/entry.ts'
import { isStoreError, StoreError, toStoreError } from '../contract/errors.ts'
import type { Mutation, Page, ScanRange, WriteResult } from '../contract/store.ts'
import { newVersion } from '../contract/version.ts'
import { compareKeys, isUnnamed, isUserKey, nestedPrefix, ownerKey } from '../keys/canonical-key.ts'
import { clearedPrefixes } from '../stack/facts.ts'
import { checkCallOptions } from './call-settings.ts'
import type { Direct } from './direct.ts'
import { type AnyRange, boundsOf, firstUserKey, hasBounds, prefixOf } from './range.ts'
import { rawPages, wholeCall } from './raw-pages.ts'
import type { CallSettings, ClearOptions } from './settings.ts'

const pageSize = 1000

/**
 * Delete the keys with a prefix, in a range, or a whole namespace and those inside it, each with the internal records that
 * layers keep for it. Returns how many user keys went.
 *
 * Calls that come later find it done: it deletes their keys before them, and then lets them be.
 */
export async function clear<K, V>(
  direct: Direct<K, V>,
  segments: readonly string[],
  what: ClearOptions<K>,
): Promise<number> {
  const clearing = new Clearing(direct, segments, what)
  const { engine } = direct
  const earlier = engine.written(clearing.prefixes)
  engine.order.guard(clearing)
  try {
    return await engine.task(clearing.prefixes, () => clearing.all(earlier))
  } finally {
    engine.order.unguard(clearing)
  }
}

/** The keys to clear, and how to delete a page of them. */
export class Clearing<K, V> implements Guard {
  declare readonly ranges: readonly ScanRange[]
  /** Prefix of the canonical keys to delete. */
  declare readonly prefixes: readonly string[]
  readonly #direct: Direct<K, V>
  readonly #settings: CallSettings
  /** Bounds of the canonical user keys to remove. */
  readonly #bounds: Bounds | undefined
  /** Keys that later calls are about. */
  readonly #taken = new Set<string>()
  /** Keys that went, where a listing may name one again. */
  readonly #gone: Set<string> | undefined
  readonly #before = new Set<Promise<void>>()
  #cleared = 0
  #hasChanged = false
  /** Whether a key was deleted without knowing that it was there. */
  #isUnsure = false

  constructor(direct: Direct<K, V>, segments: readonly string[], what: ClearOptions<K>) {
    const { engine } = direct
    this.#direct = direct
    try {
      checkCallOptions('clear', what)
      direct.demand('scan', 'clear')
      this.prefixes = prefixesOf(direct, segments, what)
      this.#bounds = checkedBounds(direct, what as AnyRange<K>)
      engine.call(what)
      this.#settings = wholeCall(what)
    } catch (error) {
      throw engine.refused(error, 'clear')
    }
    this.ranges = rangesOf(direct, this.prefixes, this.#bounds)
    const { scan } = engine.store.capabilities
    this.#gone = scan !== false && scan.delivery === 'once' ? undefined : new Set()
  }

  /** Clear page by page. */
  async all(earlier: Promise<void>): Promise<number> {
    const course = { earlier, isStep: true }
    try {
      for (const range of this.ranges)
        for await (const page of rawPages(this.#direct, 'clear', range, this.#settings, course))
          await this.page(page)
      // Others may come while these are awaited; a later one finds the work done.
      while (this.#before.size > 0) await Promise.all(this.#before)
      this.#direct.engine.order.unguard(this)
      return this.#cleared
    } catch (error) {
      throw this.ended(await this.#worst(error))
    }
  }

  /** Delete the matching keys of a page. Returns how many user keys were deleted so far. */
  page(page: Page<V>): Awaitable<number> {
    const keys = Array.from(new Set(page.entries.map(({ key }) => key))).filter((key) => this.#isToGo(key))
    if (keys.length === 0) return this.#cleared
    for (const key of keys) this.#gone?.add(key)
    const { order } = this.#direct.engine
    return andThen(
      order.unguarded(() => this.#delete(keys)),
      (results) => this.#count(keys, results),
    )
  }

  /** A call on these keys comes: they go before it, and are not touched any more. */
  before(items: readonly Keyed[]): void {
    const keys = items.map(({ key }) => key).filter((key) => isUserKey(key) && this.#isToGo(key))
    if (keys.length === 0) return
    for (const key of keys) this.#taken.add(key)
    const work = this.#direct.engine.order.unguarded(() => this.#take(keys))
    this.#before.add(work)
    // Told at the end.
    work.then(
      () => this.#before.delete(work),
      () => {},
    )
  }

  /** The error of a clearing that ends early: it says what went. */
  ended(error: unknown): StoreError {
    const cause = this.#direct.engine.located(error, 'clear')
    if (!this.#hasChanged && !this.#isUnsure) return cause
    const isUnsure = cause.code === 'OUTCOME_UNKNOWN'
    const done = this.#cleared
    const which = isUnsure || this.#isUnsure ? ' for certain, others may be too' : ', the rest were not'
    return this.#direct.engine.located(
      new StoreError(
        isUnsure ? 'OUTCOME_UNKNOWN' : 'PARTIAL',
        `clear ended early: ${done} records were deleted${which}; call it again.`,
        { cause, done, retryable: cause.retryable },
      ),
      'clear',
    )
  }

  /** The error that says most, once all that was sent has ended. */
  async #worst(error: unknown): Promise<unknown> {
    const ends = await Promise.allSettled(this.#before)
    const reasons = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []))
    return reasons.find((one) => isStoreError(one) && one.code === 'OUTCOME_UNKNOWN') ?? error
  }

  #isToGo(key: string): boolean {
    // The record of a layer goes with its owner: the mark before its name is not compared.
    const owner = isUserKey(key) ? key : (ownerKey(key) ?? key.slice(2))
    const isOurs = this.prefixes.some((prefix) => owner.startsWith(prefix))
    return isOurs && isWithin(owner, this.#bounds) && !this.#taken.has(owner) && this.#gone?.has(key) !== true
  }

  #delete(keys: readonly string[]): Awaitable<readonly WriteResult[]> {
    const { engine } = this.#direct
    const mutations = keys.map((key): Mutation<V> => ({ type: 'delete', key, version: newVersion() }))
    const itself = (results: readonly WriteResult[]): readonly WriteResult[] => results
    const failed = (error: unknown): readonly WriteResult[] => {
      const { results } = toStoreError(error, {})
      if (results === undefined) throw error
      return results as readonly WriteResult[]
    }
    const answer = engine.write('clear', mutations, engine.step(this.#settings), itself)
    return isPromise(answer) ? answer.catch(failed) : answer
  }

  /**
   * Delete keys of a later call, and count those that were there. Both go out at once, as that call waits for them; the
   * outcome is that of both.
   */
  async #take(keys: readonly string[]): Promise<void> {
    const { engine } = this.#direct
    const reads = keys.map((key) => ({ key, head: true }))
    const [found, deleted] = await Promise.allSettled([
      settling(() => engine.read('clear', reads, engine.step(this.#settings), (results) => results)),
      settling(() => this.#delete(keys)),
    ])
    if (deleted.status === 'rejected') throw deleted.reason
    const before = keys.map((_, i) =>
      found.status === 'fulfilled' ? found.value[i] : (found.reason as unknown),
    )
    const wasThere = (i: number): boolean | undefined => isThere(before[i], deleted.value[i] as WriteResult)
    this.#isUnsure ||= deleted.value.some((result, i) => isWritten(result) && wasThere(i) === undefined)
    const counted = keys.flatMap((_, i) =>
      wasThere(i) === true || isStoreError(deleted.value[i]) ? [i] : [],
    )
    this.#count(
      counted.map((i) => keys[i] as string),
      counted.map((i) => deleted.value[i] as WriteResult),
    )
    const failure = keys.findIndex((_, i) => wasThere(i) === undefined)
    if (failure !== -1) throw before[failure]
  }

  #count(keys: readonly string[], results: readonly WriteResult[]): number {
    const gone = keys.filter((_, i) => isWritten(results[i] as WriteResult))
    this.#hasChanged ||= gone.length > 0
    this.#cleared += gone.filter((key) => isUserKey(key) || isUnnamed(key)).length
    const failed = results.find(isStoreError)
    if (failed !== undefined) throw this.#direct.engine.located(failed, 'clear')
    return this.#cleared
  }
}

async function settling<T>(work: () => Awaitable<T>): Promise<T> {
  return work()
}

/** Whether a record was there, by the answer of the read or of the delete; `undefined`: neither tells. */
function isThere(before: unknown, deleted: WriteResult): boolean | undefined {
  if (isWritten(deleted) && deleted.existed !== undefined) return deleted.existed
  return isStoreError(before) ? undefined : before !== undefined
}

/** Canonical bounds of user keys. */
type Bounds = Pick<ScanRange, 'gte' | 'lt'>

function checkedBounds<K, V>(direct: Direct<K, V>, range: AnyRange<K>): Bounds | undefined {
  if (!hasBounds(range)) return undefined
  const { gte = firstUserKey(direct.prefix), lt } = boundsOf(direct, range)
  return { gte, lt }
}

function isWithin(key: string, bounds: Bounds | undefined): boolean {
  if (bounds === undefined) return true
  const { gte, lt } = bounds
  return (gte === undefined || compareKeys(key, gte) >= 0) && (lt === undefined || compareKeys(key, lt) < 0)
}

/** Canonical prefixes of the keys to delete; the empty prefix is the root as a whole. */
function prefixesOf<K, V>(
  direct: Direct<K, V>,
  segments: readonly string[],
  what: ClearOptions<K>,
): readonly string[] {
  const { all, prefix, ...rest } = (what ?? {}) as Record<'all' | 'prefix', unknown> & AnyRange<K>
  const given = [all !== undefined, prefix !== undefined, hasBounds(rest)].filter(Boolean).length
  const begun = prefix === undefined ? undefined : prefixOf(direct, prefix)
  if (given !== 1 || (all !== undefined && all !== true) || begun === direct.prefix)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'clear() needs { prefix } with a non-empty prefix, a range such as { gte, lt }, or { all: true }, and only one of them.',
    )
  if (all === true) return segments.length === 0 ? [''] : [direct.prefix, nestedPrefix(segments)]
  return [begun ?? direct.prefix]
}

/** Internal records (U+0000, kind, canonical key) lie apart: one walk over all, unless everything goes anyway. */
function rangesOf<K, V>(
  direct: Direct<K, V>,
  prefixes: readonly string[],
  bounds: Bounds | undefined,
): readonly ScanRange[] {
  const { scan } = direct.engine.store.capabilities
  const isFiltered = scan === false || scan.prefix === 'filtered'
  const common = { pageSize, values: false }
  if (bounds !== undefined) {
    const facts = clearedPrefixes.with([sharedPrefix(bounds, direct.prefix)])
    return isFiltered
      ? [{ ...common, prefix: '', facts }]
      : [
          { ...common, prefix: '\u0000', facts: clearedPrefixes.with([]) },
          { ...common, ...bounds, prefix: direct.prefix, facts },
        ]
  }
  const walked = !isFiltered ? ['\u0000', ...prefixes] : ['']
  const ranges = prefixes.includes('') ? [''] : walked
  return ranges.map((prefix, i) => {
    const isLast = i === ranges.length - 1
    return { ...common, prefix, facts: clearedPrefixes.with(isLast ? prefixes : []) }
  })
}

/** A prefix of all keys of a range, in which caches forget more than the range rather than less. */
function sharedPrefix({ gte = '', lt = '' }: Bounds, prefix: string): string {
  let length = 0
  while (length < gte.length && gte[length] === lt[length]) length++
  // Half a surrogate pair is not in order.
  const shared = gte.slice(0, length)
  return length > prefix.length && shared.isWellFormed() ? shared : prefix
}
