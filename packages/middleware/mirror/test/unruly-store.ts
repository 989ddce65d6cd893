import { type Bytes, type Capabilities, type Store, StoreError } from '@unikv/core'
import { type MemoryCapabilities, type MemoryOptions, type MemoryStore, memory } from '@unikv/core/memory'

/** How it answers. `lost`: writes take effect, and their answers are lost. */
export type Mood = 'well' | 'failing' | 'hanging' | 'lost' | 'refusing'

/** A memory store that answers by promise, and as it is told. */
export interface UnrulyStore extends Store<Bytes, MemoryCapabilities> {
  mood: Mood
  /** Calls of each verb that arrived. */
  readonly asked: { read: number; write: number; scan: number; closed: number }
  readonly inner: MemoryStore
  /** Let calls that hang go on. */
  readonly release: () => void
}

/** A store for tests of what happens when a store does not do what it should. */
export function unrulyStore(
  name: string,
  options: MemoryOptions & { readonly capabilities?: Partial<Capabilities> } = {},
): UnrulyStore {
  const { capabilities: own, ...settings } = options
  const inner = memory({ ...settings, name })
  const asked = { read: 0, write: 0, scan: 0, closed: 0 }
  let hanging: (() => void)[] = []
  async function answer<T>(verb: 'read' | 'write', work: () => T | Promise<T>): Promise<T> {
    asked[verb]++
    if (store.mood === 'hanging') await new Promise<void>((resolve) => hanging.push(resolve))
    if (store.mood === 'failing') throw new StoreError('UNAVAILABLE', 'The test says so.')
    if (verb === 'write' && store.mood === 'refusing') throw new StoreError('STORE_FULL', 'The test says so.')
    const result = await work()
    if (verb === 'write' && store.mood === 'lost')
      throw new StoreError('OUTCOME_UNKNOWN', 'The test says so.')
    return result
  }
  const store: UnrulyStore = {
    name,
    capabilities: {
      ...inner.capabilities,
      sync: 'none',
      ...own,
    } as unknown as MemoryCapabilities,
    native: inner.native,
    mood: 'well',
    asked,
    inner,
    read: (reads, call) => answer('read', () => inner.read(reads, call)),
    write: (mutations, call) => answer('write', () => inner.write(mutations, call)),
    scan: (range, call) => {
      asked.scan++
      if (store.mood === 'failing') throw new StoreError('UNAVAILABLE', 'The test says so.')
      return inner.scan(range, call)
    },
    close: async () => {
      asked.closed++
    },
    release: () => {
      for (const go of hanging.splice(0)) go()
      hanging = []
    },
  }
  return store
}
