import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { opening } from '@unikv/conformance'
import { type Bytes, type Json, keyValue, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type SqliteDatabase, type SqliteOptions, type SqliteStore, sqlite } from '@unikv/sqlite'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { codeOf, newPath, opened, set, text, write } from './fresh.ts'

const refused: readonly (readonly [string, object])[] = [
  ['no path', {}],
  ['an empty path', { path: '' }],
  ['a path with NUL', { path: 'a\0b' }],
  ['memory', { path: ':memory:' }],
  ['a URL', { path: 'file:a.db?mode=ro' }],
  ['half a thread', { path: 'a', threads: 0.5 }],
  ['a thousand threads', { path: 'a', threads: 1_000 }],
  ['less than none', { path: 'a', threads: -1 }],
  ['a table with quotes', { path: 'a', table: 'a"b' }],
  ['a table of SQLite', { path: 'a', table: 'sqlite_master' }],
  ['other values', { path: 'a', values: 'text' }],
  ['another durability', { path: 'a', durability: 'memory' }],
  ['no bytes', { path: 'a', maxBytes: 0 }],
  ['no patience', { path: 'a', busyTimeoutMs: 0 }],
]

/** Make the file and the table, as the first call does. */
async function prepare(options: SqliteOptions): Promise<void> {
  await using kv = keyValue(sqlite({ ...options, prepare: true }))
  await kv.get('key')
}

opening<SqliteOptions>({
  test,
  describe,
  // With one thread in the short run: each takes long to start, and the second starts as the first does.
  make: (options) => sqlite(isWhole ? options : { threads: 1, ...options }),
  refused,
  fresh: async () => ({ path: await newPath() }),
  preparing: {
    prepare,
    missing: async () => ({ path: await newPath(), prepare: false }),
    onCall: (options) => ({ ...options, prepare: true }),
  },
  foreign: [
    [
      'a table of others',
      async () => {
        const options = { path: await newPath(), table: 'theirs' }
        const { native } = opened({ path: options.path, threads: 0 })
        native.exec('CREATE TABLE theirs (id INTEGER PRIMARY KEY)')
        const intact = () => expect(native.prepare('SELECT count(*) FROM theirs').get([])).toBeDefined()
        return { options, intact }
      },
    ],
  ],
  module: { url: new URL('../dist/index.js', import.meta.url), make: 'sqlite', drivers: ['libsql'] },
})

describe('options', () => {
  test('decide what is declared, in types too', () => {
    const path = 'never-made.db'
    const plain = sqlite({ path })
    expectTypeOf(plain.capabilities.sync).toEqualTypeOf<'none'>()
    expectTypeOf(plain.capabilities.durability).toEqualTypeOf<'flushed'>()
    expectTypeOf(plain).toExtend<Store<Bytes>>()
    expectTypeOf<typeof plain.native>().toEqualTypeOf<SqliteDatabase>()
    const here = sqlite({ path, threads: 0, durability: 'buffered', values: 'document' })
    expectTypeOf(here.capabilities.sync).toEqualTypeOf<'all'>()
    expectTypeOf(here.capabilities.durability).toEqualTypeOf<'buffered'>()
    expectTypeOf(here.capabilities.documents).toEqualTypeOf<true>()
    expectTypeOf(here).toExtend<Store<Json>>()
    expectTypeOf<SqliteStore['capabilities']['sync']>().toEqualTypeOf<'all' | 'none'>()
    expect(plain.capabilities).toMatchObject({ sync: 'none', durability: 'flushed', documents: false })
    expect(here.capabilities).toMatchObject({ sync: 'all', durability: 'buffered', documents: true })
  })
})

describe('a file', () => {
  test('is made with its folder by the first call, and whole again after close', async () => {
    const path = join(await newPath(), 'deep', 'er.db')
    const store = opened({ path })
    await set(store, 'a', '1')
    await store.close()
    expect(readdirSync(dirname(path))).toEqual(['er.db'])
    copyFileSync(path, `${path}-copy`)
    expect(await text(opened({ path: `${path}-copy` }), 'a')).toBe('1')
  })

  test('holds a dataset in each table', async () => {
    const path = await newPath()
    const [one, other] = [opened({ path }), opened({ path, table: 'other', threads: 0 })]
    await set(one, 'a', '1')
    await set(other, 'a', '2')
    expect([await text(one, 'a'), await text(other, 'a')]).toEqual(['1', '2'])
  })

  test('with a table of other values is refused', async () => {
    const path = await newPath()
    await set(opened({ path }), 'a', '1')
    const documents = opened({ path, values: 'document', threads: 1 })
    await expect(documents.read([{ key: 'a' }], callOptions())).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: "The table was created with values: 'bytes'.",
    })
  })

  test('that is none of SQLite, or damaged, is CORRUPT', async () => {
    const path = await newPath()
    writeFileSync(path, 'this is no database at all. '.repeat(1_000))
    for (const threads of [0, 1])
      expect(await codeOf(() => text(opened({ path, threads }), 'a'))).toBe('CORRUPT')
    const damaged = await newPath()
    const store = opened({ path: damaged, threads: 0 })
    await write(
      store,
      Array.from(
        { length: 200 },
        (_, i) => ({ type: 'set', key: `k${i}`, value: Buffer.alloc(500, 'x') }) as const,
      ),
    )
    store.native.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get([])
    const bytes = spawnSync('node', [
      '-e',
      `
      const fs = require('fs'), p = ${JSON.stringify(damaged)}, b = fs.readFileSync(p)
      b.fill(0xff, 4096 * 2); fs.writeFileSync(p + '-damaged', b)`,
    ])
    expect(bytes.status).toBe(0)
    const broken = opened({ path: `${damaged}-damaged`, threads: 0 })
    expect(await codeOf(() => text(broken, 'k7'))).toBe('CORRUPT')
    expect(await codeOf(() => set(broken, 'k7', 'x'))).toBe('CORRUPT')
  })

  test('that cannot be one is INVALID_CONFIG', async () => {
    const folder = await newPath()
    mkdirSync(folder)
    expect(await codeOf(() => text(opened({ path: folder, threads: 0 }), 'a'))).toBe('INVALID_CONFIG')
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(await codeOf(() => text(opened({ path: join(file, 'x.db'), threads: 0 }), 'a'))).toBe(
      'INVALID_CONFIG',
    )
    expect(await codeOf(() => text(opened({ path: join(folder, 'x'.repeat(300)), threads: 0 }), 'a'))).toBe(
      'INVALID_CONFIG',
    )
  })

  test.runIf(process.platform === 'linux')('where no file can be made is ACCESS_DENIED', async () => {
    expect(await codeOf(() => text(opened({ path: '/proc/unikv.db' }), 'a'))).toMatch(
      /ACCESS_DENIED|INVALID_CONFIG/,
    )
  })

  test('is opened by many at once', async () => {
    const path = await newPath()
    const stores = Array.from({ length: 4 }, () => opened({ path }))
    await Promise.all(stores.map((store, i) => set(store, `k${i}`, 'v')))
    for (const i of stores.keys()) expect(await text(stores[0] as (typeof stores)[0], `k${i}`)).toBe('v')
  })
})

test('a process without a free descriptor is told that nothing was changed, and writes when it has some again', async () => {
  const script = fileURLToPath(new URL('./proofs/no-descriptors.mjs', import.meta.url))
  for (const free of [0, 4, 6]) {
    const run = `ulimit -n 200 && exec '${process.execPath}' '${script}' '${await newPath()}' 2 ${free}`
    const { stdout } = spawnSync('sh', ['-c', run], { env: { PATH: process.env['PATH'] }, encoding: 'utf8' })
    expect(stdout).toBe('UNAVAILABLE done')
  }
})
