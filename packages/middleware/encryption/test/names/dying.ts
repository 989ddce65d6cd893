import { type Bytes, type Store, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect } from 'vitest'
import { rekey } from '../../src/index.ts'
import { marker } from './named.ts'
import { settings } from './rekeying.ts'

/** Another store with the same records. */
export function copyOf(from: MemoryStore): MemoryStore {
  const store = memory()
  const mutations = [...from.native].map(
    ([key, { value, version, expiresAt }]) =>
      ({ type: 'set', key, value, version: version as string, expiresAt }) as const,
  )
  void store.write(mutations, callOptions())
  return store
}

/** Run a rekey that dies at its nth write: before it for even numbers, after it for odd ones. Whether it came to its end. */
export async function killedAt(store: MemoryStore, at: number): Promise<boolean> {
  let writes = 0
  const dying: Store<Bytes> = {
    ...store,
    write: (mutations, call) => {
      if (writes > Math.floor(at / 2)) throw new StoreError('UNAVAILABLE', 'Dead.')
      const isLast = writes++ === Math.floor(at / 2)
      if (isLast && at % 2 === 0) throw new StoreError('UNAVAILABLE', 'Killed.')
      const results = store.write(mutations, call)
      if (isLast) throw new StoreError('UNAVAILABLE', 'Killed.')
      return results
    },
  }
  try {
    await rekey(dying, { ...settings, finish: true })
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'UNAVAILABLE' })
    return false
  }
}

/** A store that dies at the first write with such a mutation. */
export function dyingAfter(
  store: MemoryStore,
  isDeadly: (mutation: { key: string; type: string }) => boolean,
): Store<Bytes> {
  return {
    ...store,
    write: (mutations, call) => {
      if (mutations.some(isDeadly)) throw new StoreError('UNAVAILABLE', 'Killed.')
      return store.write(mutations, call)
    },
  }
}

/** A rekey that closes the dataset, and is killed before it can open it again. */
export async function closeAndDie(store: MemoryStore): Promise<void> {
  let isClosed = false
  const dying: Store<Bytes> = {
    ...store,
    read: (reads, call) => {
      if (isClosed) throw new StoreError('UNAVAILABLE', 'Killed.')
      return store.read(reads, call)
    },
    write: (mutations, call) => {
      if (isClosed) throw new StoreError('UNAVAILABLE', 'Killed.')
      const results = store.write(mutations, call)
      const [first] = mutations
      isClosed = first?.type === 'set' && first.key === marker && first.value[13] === 2
      return results
    },
  }
  await expect(rekey(dying, { ...settings, finish: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(isClosed).toBe(true)
}

/** A store in which others work before each page and each write of the rekey. */
export function changing(store: MemoryStore, work: () => Promise<void>): Store<Bytes> {
  return {
    ...store,
    write: async (mutations, call) => {
      await work()
      return store.write(mutations, call)
    },
    scan: async function* (range, call) {
      for (const page of store.scan(range, call) as Iterable<never>) {
        yield page
        await work()
      }
    },
  }
}
