import { type Awaitable, StoreError, type Version } from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import type { LoadContext, LoadResult } from '../loaded.ts'
import type { KeyLoader } from '../loads/loading.ts'

/** Context of a loader of several keys. */
export interface BulkContext {
  /** Versions that the loader gave with values that are kept: for these keys it may return `notModified()`. */
  readonly versions: ReadonlyMap<string, Version>
  /** Aborted when no caller waits for this load any more, and when the cache is closed. */
  readonly signal: AbortSignal
}

/** Result of a loader of several keys: the values found, by key. A key that is not in the map is absent. */
export type BulkResult<V> = ReadonlyMap<string, LoadResult<V>>

/** Asks the native client for several keys at once. */
export type BulkLoader<V> = (keys: string[], context: BulkContext) => Awaitable<BulkResult<V>>

/** Those keys of a call that are asked for in one turn, as one question. */
interface Batch<V> {
  readonly contexts: Map<string, LoadContext>
  readonly found: Promise<BulkResult<V>>
}

/**
 * A loader of one key for each of several, which asks for all of them at once: the keys of a call reach it one by one, but in
 * the same turn.
 *
 * @param userKey the key as the application knows it
 */
export function oneByOne<V>(loadMany: BulkLoader<V>, userKey: (key: string) => string): KeyLoader {
  let open: Batch<V> | undefined
  return (context, key) => {
    open ??= begin(loadMany, () => {
      open = undefined
    })
    const name = userKey(key)
    open.contexts.set(name, context)
    return open.found.then((found) => found.get(name))
  }
}

function begin<V>(loadMany: BulkLoader<V>, closed: () => void): Batch<V> {
  const contexts = new Map<string, LoadContext>()
  const found = Promise.resolve().then(() => {
    closed()
    return asked(loadMany, contexts)
  })
  return { contexts, found }
}

async function asked<V>(
  loadMany: BulkLoader<V>,
  contexts: ReadonlyMap<string, LoadContext>,
): Promise<BulkResult<V>> {
  const versions = new Map<string, Version>()
  for (const [key, { ifNotVersion }] of contexts)
    if (ifNotVersion !== undefined) versions.set(key, ifNotVersion)
  const found: unknown = await loadMany(Array.from(contexts.keys()), {
    versions,
    get signal() {
      return signalOf(contexts.values())
    },
  })
  if (typeof (found as BulkResult<unknown> | null)?.get === 'function') return found as BulkResult<V>
  throw new StoreError(
    'INVALID_ARGUMENT',
    'A loader of several keys must return a Map of what it found, by key.',
  )
}

/** Keys of one call are given up together: the first that is tells of all. */
function signalOf(contexts: Iterable<LoadContext>): AbortSignal {
  const stop = new AbortController()
  for (const { signal } of contexts) signal.addEventListener('abort', () => stop.abort(), { once: true })
  return stop.signal
}
