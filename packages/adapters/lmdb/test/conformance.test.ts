import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance, testClock } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { describe, test } from 'vitest'
import { type LmdbDatabase, type LmdbOptions, lmdb } from '../src/index.ts'

const clock = testClock()
const paths = new WeakMap<Store<Bytes>, string>()

/** On other versions of Node.js, and in a quick run: one form, and what it asks of Node.js. */
const topicsOfRuntimes = /read and write|binary|^batches$|scan|lifecycle/
const isCut = process.env['UNIKV_EMBEDDED_ONLY'] === '1'

/** Keys and records are the same in each form. */
const topicsOfSync =
  /declared|read and write|^batches$|steps|scan and|take|reverse|condition|expiry$|touch|increment|mutation|whose|error|lifecycle/
const topicsOfBounds = /^batches$|condition|race|error|lifecycle/

const forms: readonly [string, Omit<LmdbOptions, 'path'>, RegExp?][] = [
  ['with promises', {}],
  ['buffered', { durability: 'buffered' }, topicsOfBounds],
  ['sync', { sync: true }, topicsOfSync],
  ['bounded', { maxBytes: 1_000_000_000 }, topicsOfBounds],
]

describe.each(isCut ? forms.slice(0, 1) : forms)('%s', async (_title, settings, topics) => {
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
})
