import { type Bytes, isStoreError, type Mutation, newVersion, type Store } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { isPart, partNameOf } from '../../src/chain/parts.ts'

/** What a layer would be that does without one of the rules: the store below behaves as if the layer did. */
export type Careless = (store: Store<Bytes>, isFree: (version: string) => boolean) => Store<Bytes>

/** A head that names parts replaces whatever is there. */
export const withoutCondition: Careless = (store, isFree) => ({
  ...verbsOf(store),
  write: (mutations, call) =>
    store.write(
      mutations.map((one) =>
        isUserKey(one.key) && isFree(one.version) ? { ...one, ifVersion: undefined } : one,
      ),
      call,
    ),
})

/** Old parts go when a new one is written, before the head that does not name them. */
export const tidyingFirst: Careless = (store) => ({
  ...verbsOf(store),
  write: async (mutations, call) => {
    const bases = mutations
      .filter(({ key, type }) => type === 'set' && isPart(key))
      .map(({ key }) => partNameOf(key)?.owner)
    const old: Mutation<Bytes>[] = []
    for await (const page of store.scan({ prefix: '', pageSize: 1000, values: false }, callOptions()))
      for (const { key } of page.entries)
        if (bases.includes(partNameOf(key)?.owner)) old.push({ type: 'delete', key, version: newVersion() })
    if (old.length > 0) await store.write(old, callOptions())
    return store.write(mutations, call)
  },
})

/** Parts have one place each, in which the next writer puts his own. */
export const reusingPlaces: Careless = (store) => {
  const placed = <T extends { readonly key: string }>(one: T): T => {
    const part = partNameOf(one.key)
    return part === undefined ? one : { ...one, key: one.key.replace(part.id, '0'.repeat(24)) }
  }
  return {
    ...verbsOf(store),
    read: (reads, call) => store.read(reads.map(placed), call),
    write: async (mutations, call) => {
      // One after the other: two of one key in one batch are none.
      const results = []
      for (const one of mutations) results.push(...(await store.write([placed(one)], call)))
      return results
    },
  }
}

/** What was not answered is taken for what did not happen. */
export const takingSilenceForNo: Careless = (store, isFree) => ({
  ...verbsOf(store),
  write: async (mutations, call) =>
    (await store.write(mutations, call)).map((result, i) => {
      const { key, version } = mutations[i] as Mutation<Bytes>
      const isUnknown = isStoreError(result) && result.code === 'OUTCOME_UNKNOWN'
      return isUnknown && isUserKey(key) && isFree(version) ? { conditionFailed: true as const } : result
    }),
})

function verbsOf(store: Store<Bytes>): Store<Bytes> {
  const { name, capabilities } = store
  return {
    name,
    capabilities,
    native: undefined,
    read: (reads, call) => store.read(reads, call),
    write: (mutations, call) => store.write(mutations, call),
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
  }
}
