import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance, testClock, topicsOfClients } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { describe, test } from 'vitest'
import { type LmdbDatabase, type LmdbOptions, lmdb } from '../src/index.ts'

const clock = testClock()
const paths = new WeakMap<Store<Bytes>, string>()

/** On other versions of Node.js, and in a quick run. */
const topicsOfRuntimes = /read and write|binary|batch|scan|lifecycle/
const isCut = process.env['UNIKV_EMBEDDED_ONLY'] === '1'

/** Keys and records are the same in each form. */
const topicsOfSync =
  /declared|read and write|binary|batch|steps|scan|take|reverse|condition|race|expiry|touch|increment|mutation|whose|cancellation|error|lifecycle/

async function suite(settings: Omit<LmdbOptions, 'path'>, topics?: RegExp): Promise<void> {
  const open = (path: string) => {
    const store = lmdb({ ...settings, path, clock })
    paths.set(store, path)
    return store
  }
  const pathOf = (store: Store<Bytes>) => paths.get(store) as string
  await conformance({
    test,
    describe,
    clock,
    topics: isCut ? topicsOfRuntimes : topics,
    open: async () => open(await mkdtemp(join(tmpdir(), 'unikv-lmdb-'))),
    reopen: (store) => open(pathOf(store)),
    corrupt: (store, key) => {
      const database = store.native as LmdbDatabase
      database.transactionSync(() => void database.put(Buffer.from(key), Buffer.from('damage')))
    },
    discard: (store) => rm(pathOf(store), { recursive: true, force: true }),
  })
}

describe('with promises', async () => {
  await suite({})
})

describe('buffered', async () => {
  await suite({ durability: 'buffered' }, topicsOfClients)
})

describe('sync', async () => {
  await suite({ sync: true }, topicsOfSync)
})

describe('bounded', async () => {
  await suite({ maxBytes: 1_000_000_000 }, topicsOfClients)
})
