import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type ConformanceOptions,
  conformance,
  testClock,
  topicsOfServers,
  topicsOfValues,
} from '@unikv/conformance'
import type { Json, Store } from '@unikv/core'
import { type SqliteDatabase, type SqliteOptions, sqlite } from '@unikv/sqlite'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'

const clock = testClock()
const paths = new WeakMap<object, string>()

function hooks<V>(settings: Omit<SqliteOptions, 'path'>): Omit<ConformanceOptions<V>, 'value'> {
  const open = (path: string): Store<V> => {
    const store = sqlite({ ...settings, path, clock }) as unknown as Store<V>
    paths.set(store, path)
    return store
  }
  const pathOf = (store: object): string => paths.get(store) as string
  return {
    test,
    describe,
    clock,
    open: async () => open(join(await mkdtemp(join(tmpdir(), 'unikv-sqlite-')), 'data.db')),
    reopen: (store) => open(pathOf(store)),
    corrupt: (store, key) => {
      const native = store.native as SqliteDatabase
      native.prepare(`UPDATE unikv SET version = x'00' WHERE k = ?`).run([Buffer.from(key)])
    },
    discard: (store) => rm(dirname(pathOf(store)), { recursive: true, force: true }),
  }
}

/**
 * Topics in which it matters where the statements run; what is sent to the file is the same. What single reads and writes mean, the
 * caller's thread proves: here batches, races and values of every kind pass between threads.
 */
const topicsOfThreads = /^batches$|races|scan and cursor|cancellation|errors|lifecycle|whose|binary/

/** The short run keeps the start and end of threads; what a deadline or an abort does to their messages, threads.test.ts has. */
const topicsOfEnds = /lifecycle/

/** On other versions of Node.js, and in a quick run. */
const isCut = process.env['UNIKV_EMBEDDED_ONLY'] === '1'

describe('in the caller’s thread', () =>
  conformance({
    ...hooks({ threads: 0, durability: 'buffered' }),
    topics: isCut ? /read and write|binary|^batches$|scan|lifecycle/ : isWhole ? undefined : topicsOfServers,
  }))

describe('on two threads', () =>
  conformance({
    ...hooks({ threads: 2, durability: 'buffered' }),
    topics: isWhole ? topicsOfThreads : topicsOfEnds,
  }))

if (isWhole)
  describe('on one thread, which writes and reads', () =>
    conformance({ ...hooks({ threads: 1, durability: 'buffered' }), topics: /cancellation/ }))

const indexes = [['v'], ['group', 'v'], ['a\\.b']]

/** A query crosses to a thread and its answer back: for that one case is enough. */
const pages = 'pages follow each other by values and key, also under writes'

describe('documents, in the caller’s thread', () =>
  conformance<Json>({
    ...hooks<Json>({ values: 'document', threads: 0, durability: 'buffered', indexes }),
    topics: topicsOfValues,
    value: (n) => ({ n, text: `value ${n}`, list: [n, null, { deep: true }] }),
  }))

describe('documents, on two threads', () =>
  conformance<Json>({
    ...hooks<Json>({ values: 'document', threads: 2, durability: 'buffered', indexes }),
    test: (title, run) => (isWhole || title === pages ? test(title, run) : undefined),
    topics: /finding/,
    value: (n) => ({ n }),
  }))
