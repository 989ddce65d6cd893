import type { Bytes, Store } from '@unikv/core'

/** A store whose calls go to another one, some of them in another way. Closing it leaves that one open. */
export function throughStore<C extends Store<Bytes>['capabilities']>(
  inner: Store<Bytes, C>,
  changes: Partial<Store<Bytes, C>>,
): Store<Bytes, C> {
  return {
    name: inner.name,
    capabilities: inner.capabilities,
    native: inner.native,
    read: (reads, call) => inner.read(reads, call),
    write: (mutations, call) => inner.write(mutations, call),
    scan: (range, call) => inner.scan(range, call),
    close: async () => {},
    ...changes,
  }
}
