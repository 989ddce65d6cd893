import { cache } from '@unikv/cache'
import { type AnyLayer, type Bytes, type KeyValue, keyValue, type Store, StoreError } from '@unikv/core'
import { namespacePrefix } from '@unikv/core/adapter'
import { benchNamespace, clearNamespace } from '../../../run/run-namespace.ts'
import type { CacheTarget, InProcessCacheTarget, RemoteCacheTarget } from '../../../run/target.ts'
import { throughStore } from '../../../run/through-store.ts'
import type { StudyContext } from '../../../study/study.ts'
import type { SizesConfig } from '../config.ts'
import type { CachedKeys, CacheUnderTest } from './measure-cache.ts'

/** Beside each value a cache counts its key and what it costs to keep. */
const ENTRY_BYTES = 1_024

/** A cache of the run, ready to be put in front of a store. Each time it is opened it is empty. */
export function cacheUnderTest(
  target: CacheTarget,
  { runId, config, namespaces }: StudyContext<SizesConfig>,
): CacheUnderTest {
  const open = (store: Store<Bytes>, layer: AnyLayer): CachedKeys => {
    const layers: readonly AnyLayer[] = [layer]
    const kv = keyValue(store, layers, { timeoutMs: config.timeoutMs })
    const keys = kv.namespace(benchNamespace).namespace(runId)
    return { keys: keys as KeyValue<string, Bytes>, close: () => kv.close() } // a cache shows what it finds below
  }
  if (target.kind === 'in-process')
    return { open: async (store, bytes, entries) => open(store, inProcess(target, bytes, entries)) }
  return {
    open: async (store) => {
      const namespace = namespaces.get(target)
      if (namespace === undefined)
        throw new StoreError('INVALID_CONFIG', `${target.name} was not opened for this run.`)
      await clearNamespace(namespace.keys)
      return open(store, remote(target, runId, config.timeoutMs))
    },
  }
}

function inProcess({ share }: InProcessCacheTarget, bytes: number, entries: number): AnyLayer {
  return cache({ share, maxEntries: entries + 1, maxBytes: bytes + (entries + 1) * ENTRY_BYTES })
}

/** An error of the cache store must not pass for a miss here. */
function remote({ store }: RemoteCacheTarget, runId: string, timeoutMs: number): AnyLayer {
  const own = prefixedStore(store, namespacePrefix([benchNamespace, runId]))
  return cache({
    store: own,
    freshForMs: Number.POSITIVE_INFINITY,
    onError: 'fail',
    timeoutMs,
    plaintext: 'allowed',
  })
}

/**
 * A store whose keys all begin with a prefix, for a layer that keeps records of its own there: they then lie in
 * the run's namespace and go with it. Cannot scan; closing it leaves the store open.
 */
function prefixedStore(inner: Store<Bytes>, prefix: string): Store<Bytes> {
  const { capabilities } = inner
  return throughStore(inner, {
    capabilities: { ...capabilities, scan: false, maxKeyBytes: capabilities.maxKeyBytes - prefix.length },
    read: (reads, options) =>
      inner.read(
        reads.map((read) => ({ ...read, key: prefix + read.key })),
        options,
      ),
    write: (mutations, options) =>
      inner.write(
        mutations.map((mutation) => ({ ...mutation, key: prefix + mutation.key })),
        options,
      ),
    scan: () => [],
  })
}
