import { conformance, topicsOfServers } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, isWhole } from '@unikv/test-kit/vitest'
import { Cluster, Redis } from 'ioredis'
import { afterAll, test } from 'vitest'
import { type RedisOptions, redis } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

const topicsOfRaw =
  /^(declared|read and write|binary|batches$|scan and cursor|expiry$|increment|limits|errors)/
const topicsOfDrivers =
  /^(declared|read and write|binary|batches$|scan and cursor|conditions|expiry$|increment|cancellation|errors|lifecycle)/

/** Topics in which it matters that keys are on several servers. */
const topicsOfCluster =
  /^(declared|read and write|keys|batches$|write, and|scan and cursor|conditions|races|increment|cancellation|errors|lifecycle)/

/** Topics: all where none are named. */
type Run = RedisOptions & { readonly kind: 'redis' | 'redis-cluster'; readonly topics?: RegExp }

const runs: readonly Run[] = [
  { kind: 'redis', ...(isWhole ? {} : { topics: topicsOfServers }) },
  { kind: 'redis', values: 'raw', topics: topicsOfRaw },
  { kind: 'redis', driver: 'node-redis', topics: topicsOfDrivers },
  { kind: 'redis', driver: 'node-redis', values: 'raw', topics: /read and write|batch|expiry|error/ },
  // The rest is the same code over the same servers, as is every limit.
  { kind: 'redis-cluster', ...(isWhole ? {} : { topics: topicsOfCluster }) },
]

for (const { kind, topics, ...how } of runs) {
  describeWithOwn(kind, async () => {
    // Of its own: in a scan of a server that others fill and empty at the same time a key may appear twice.
    const server = await ownServer(kind)
    const options: RedisOptions = {
      ...how,
      ...(kind === 'redis' ? { url: server.url } : { cluster: server.urls }),
    }
    const isRaw = options.values === 'raw'
    const admin = kind === 'redis' ? new Redis(server.url) : new Cluster([...server.urls])
    const datasets = new WeakMap<Store<Bytes>, string>()
    const open = (dataset = freshDataset()) => {
      const store = redis({ ...options, dataset }) as Store<Bytes>
      datasets.set(store, dataset)
      return store
    }
    afterAll(async () => {
      admin.disconnect()
      await server.stop()
    })
    await conformance({
      test,
      open: () => open(),
      reopen: (store) => open(datasets.get(store)),
      topics,
      ...(isRaw
        ? { foreign: true }
        : { corrupt: (store, key) => admin.setrange(`${datasets.get(store)}:${key}`, 0, 'x') }),
    })
  })
}
