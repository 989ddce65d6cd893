import { conformance, testClock } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { type MemcachedOptions, type MemcachedStore, memcached, memcachedKey } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeWith('memcached', async (url) => {
  const datasets = new WeakMap<Store<Bytes>, string>()
  const opened = (options: MemcachedOptions): MemcachedStore => {
    const { dataset = freshDataset() } = options
    const store = memcached({ url, ...options, dataset })
    datasets.set(store, dataset)
    return store
  }
  const datasetOf = (store: Store<Bytes>): string => datasets.get(store) as string
  const corrupt = (store: Store<Bytes>, key: string): Promise<unknown> =>
    (store as MemcachedStore).native.command(`ms ${memcachedKey(datasetOf(store), key)} b`, {
      data: Buffer.from('damaged'),
    })

  describe('by the clock of the machine', () =>
    conformance({
      test,
      describe,
      open: () => opened({}),
      reopen: (store) => opened({ dataset: datasetOf(store) }),
      corrupt,
    }))

  /** In which the time and the number of connections matter. */
  const topics =
    /batch|program order|condition|race|expiry|time to live|touch|increment|cancellation|error|lifecycle/
  const clock = testClock()
  describe('by a clock that is moved, over three connections', () =>
    conformance({
      test,
      describe,
      clock,
      topics,
      open: () => opened({ clock, maxConnections: 3 }),
      reopen: (store) => opened({ clock, dataset: datasetOf(store), maxConnections: 3 }),
      corrupt,
    }))
})
