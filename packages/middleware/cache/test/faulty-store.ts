import { type Bytes, type Store, StoreError } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'

/** A memory store that answers by promises, fails, or does not answer, as it is told. */
export interface FaultyStore {
  readonly store: Store<Bytes, MemoryStore['capabilities']>
  readonly inner: MemoryStore
  /** Calls that came. */
  calls: number
  state: 'up' | 'down' | 'hangs'
}

export function faultyStore(
  capabilities: Partial<MemoryStore['capabilities']> = {},
  inner: MemoryStore = memory(),
): FaultyStore {
  const come = async (): Promise<void> => {
    made.calls++
    if (made.state === 'down') throw new StoreError('UNAVAILABLE', 'down')
    if (made.state === 'hangs') await new Promise(() => {})
  }
  const store: FaultyStore['store'] = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as never, ...capabilities },
    read: async (reads, call) => {
      await come()
      return inner.read(reads, call)
    },
    write: async (mutations, call) => {
      await come()
      return inner.write(mutations, call)
    },
  }
  const made: FaultyStore = { store, inner, calls: 0, state: 'up' }
  return made
}
