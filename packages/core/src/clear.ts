import type { Awaitable } from './awaitable.ts'
import { checkCallOptions } from './call-settings.ts'
import { canonicalKey, isUnnamed, isUserKey, nestedPrefix, ownerKey } from './canonical-key.ts'
import type { Direct } from './direct.ts'
import { isStoreError, StoreError } from './errors.ts'
import type { ClearOptions } from './key-value.ts'
import { rawPages } from './scanning.ts'
import type { Mutation, Page, ScanRange } from './store.ts'
import { newVersion } from './version.ts'

const pageSize = 1000

/**
 * Delete the keys with a prefix, or a whole namespace and those inside it, each with the internal records that
 * layers keep for it. Returns how many user keys went.
 */
export async function clear<K, V>(
  direct: Direct<K, V>,
  segments: readonly string[],
  what: ClearOptions,
): Promise<number> {
  const clearing = new Clearing(direct, segments, what)
  let cleared = 0
  for (const range of clearing.ranges) {
    for await (const page of rawPages(direct, 'clear', range, what)) cleared += await clearing.page(page)
  }
  return cleared
}

/** What is to be cleared, and how a page of it goes. */
export class Clearing<K, V> {
  declare readonly ranges: readonly ScanRange[]
  readonly #direct: Direct<K, V>
  readonly #prefixes: readonly string[]
  readonly #settings: ClearOptions

  constructor(direct: Direct<K, V>, segments: readonly string[], what: ClearOptions) {
    this.#direct = direct
    this.#settings = what
    try {
      checkCallOptions('clear', what)
      direct.demand('scan', 'clear')
      this.#prefixes = prefixesOf(direct, segments, what)
    } catch (error) {
      throw direct.engine.located(error, 'clear')
    }
    this.ranges = rangesOf(direct, this.#prefixes)
  }

  /** Delete what a page holds of it. Returns how many user keys went. */
  page(page: Page<V>): Awaitable<number> {
    const keys = page.entries.map(({ key }) => key).filter((key) => owned(key, this.#prefixes))
    if (keys.length === 0) return 0
    const { engine } = this.#direct
    const mutations = keys.map((key): Mutation<V> => ({ type: 'delete', key, version: newVersion() }))
    return engine.write('clear', mutations, engine.call(this.#settings), (results) => {
      const failed = results.find(isStoreError)
      if (failed !== undefined) throw engine.located(failed, 'clear')
      return keys.filter((key) => isUserKey(key) || isUnnamed(key)).length
    })
  }
}

/** Canonical prefixes of what is to go; the root as a whole is the empty one. */
function prefixesOf<K, V>(
  direct: Direct<K, V>,
  segments: readonly string[],
  what: ClearOptions,
): readonly string[] {
  const { all, prefix } = (what ?? {}) as { readonly all?: unknown; readonly prefix?: unknown }
  if (all === true && prefix === undefined)
    return segments.length === 0 ? [''] : [direct.prefix, nestedPrefix(segments)]
  if (all === undefined && typeof prefix === 'string' && prefix !== '' && prefix.isWellFormed()) {
    return [canonicalKey(direct.prefix, prefix)]
  }
  throw new StoreError(
    'INVALID_ARGUMENT',
    'clear() takes { prefix } with a non-empty prefix, or { all: true }; not both.',
  )
}

/** Internal records (U+0000, kind, canonical key) lie apart: one walk over all, unless everything goes anyway. */
function rangesOf<K, V>(direct: Direct<K, V>, prefixes: readonly string[]): readonly ScanRange[] {
  const { scan } = direct.engine.store.capabilities
  const isFiltered = scan === false || scan.prefix === 'filtered'
  const walked = !isFiltered ? ['\u0000', ...prefixes] : ['']
  return (prefixes.includes('') ? [''] : walked).map((prefix) => ({ prefix, pageSize, values: false }))
}

function owned(key: string, prefixes: readonly string[]): boolean {
  // Not the part: it is no beginning of anybody's key.
  const canonical = isUserKey(key) ? key : (ownerKey(key) ?? key.slice(2))
  return prefixes.some((prefix) => canonical.startsWith(prefix))
}
