import type { Bytes, Store } from '@unikv/core'

/**
 * A store whose keys all begin with a prefix, for a layer that keeps records of its own there: they then lie in
 * the run's namespace and go with it. Cannot scan; closing it leaves the store open.
 */
export function prefixedStore(inner: Store<Bytes>, prefix: string): Store<Bytes> {
  const { capabilities } = inner
  return {
    name: inner.name,
    native: inner.native,
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
    close: async () => {},
  }
}
