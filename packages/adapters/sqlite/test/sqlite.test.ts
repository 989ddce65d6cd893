import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { type Bytes, type Json, keyValue, newVersion, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { sync } from '@unikv/core/sync'
import { type SqliteDatabase, type SqliteOptions, type SqliteStore, sqlite } from '@unikv/sqlite'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { codeOf, newPath, opened, set, text, write } from './fresh.ts'

describe('options', () => {
  const wrong: readonly (readonly [string, object])[] = [
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
  test.each(wrong)('%s is INVALID_CONFIG', (_, options) => {
    expect(() => sqlite(options as SqliteOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    )
  })

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

  test('and its table must be there with create: false', async () => {
    const path = await newPath()
    for (const threads of [0, 1]) {
      const store = opened({ path, threads, create: false })
      expect(await codeOf(() => text(store, 'a'))).toBe('NOT_PREPARED')
      expect(await codeOf(() => set(store, 'a', '1'))).toBe('NOT_PREPARED')
    }
    await set(opened({ path }), 'a', '1')
    expect(await text(opened({ path, create: false }), 'a')).toBe('1')
    expect(await codeOf(() => text(opened({ path, create: false, table: 'other' }), 'a'))).toBe(
      'NOT_PREPARED',
    )
  })

  test('holds a dataset in each table', async () => {
    const path = await newPath()
    const [one, other] = [opened({ path }), opened({ path, table: 'other', threads: 0 })]
    await set(one, 'a', '1')
    await set(other, 'a', '2')
    expect([await text(one, 'a'), await text(other, 'a')]).toEqual(['1', '2'])
  })

  test('with a table of others, or of other values, is refused and left alone', async () => {
    const path = await newPath()
    const first = opened({ path, threads: 0 })
    first.native.exec('CREATE TABLE theirs (id INTEGER PRIMARY KEY)')
    const foreign = opened({ path, table: 'theirs' })
    expect(await codeOf(() => set(foreign, 'a', '1'))).toBe('INVALID_CONFIG')
    const documents = opened({ path, values: 'document' })
    await expect(documents.read([{ key: 'a' }], callOptions())).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: "The table was made with values: 'bytes'.",
    })
  })

  test('that is none of SQLite, or damaged, is CORRUPT', async () => {
    const path = await newPath()
    writeFileSync(path, 'this is no database at all. '.repeat(1_000))
    for (const threads of [0, 2])
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
    const broken = opened({ path: `${damaged}-damaged` })
    expect(await codeOf(() => text(broken, 'k7'))).toBe('CORRUPT')
    expect(await codeOf(() => set(broken, 'k7', 'x'))).toBe('CORRUPT')
  })

  test('that cannot be one is INVALID_CONFIG', async () => {
    const folder = await newPath()
    mkdirSync(folder)
    expect(await codeOf(() => text(opened({ path: folder }), 'a'))).toBe('INVALID_CONFIG')
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(await codeOf(() => text(opened({ path: join(file, 'x.db') }), 'a'))).toBe('INVALID_CONFIG')
    expect(await codeOf(() => text(opened({ path: join(folder, 'x'.repeat(300)) }), 'a'))).toBe(
      'INVALID_CONFIG',
    )
  })

  test.runIf(process.platform === 'linux')('where no file can be made is ACCESS_DENIED', async () => {
    expect(await codeOf(() => text(opened({ path: '/proc/unikv.db' }), 'a'))).toMatch(
      /ACCESS_DENIED|INVALID_CONFIG/,
    )
  })

  test('that is read-only for SQLite is ACCESS_DENIED for writes, and read all the same', async () => {
    const store = opened({ path: await newPath(), threads: 0 })
    await set(store, 'a', '1')
    store.native.exec('PRAGMA query_only = ON')
    expect(await codeOf(() => set(store, 'a', '2'))).toBe('ACCESS_DENIED')
    expect(await text(store, 'a')).toBe('1')
  })

  test('that is full is STORE_FULL, which is the fault of one call alone, and keeps what it has', async () => {
    const path = await newPath()
    const store = opened({ path, maxBytes: 200_000 })
    await set(store, 'a', '1')
    const large = Buffer.alloc(300_000)
    const results = await Promise.all([
      codeOf(() => set(store, 'b', '2')),
      codeOf(() => write(store, [{ type: 'set', key: 'large', value: large }])),
      codeOf(() => set(store, 'c', '3')),
      codeOf(() =>
        write(store, [
          { type: 'set', key: 'd', value: Buffer.from('4') },
          { type: 'set', key: 'large', value: large },
        ]),
      ),
      codeOf(() => set(store, 'e', '5')),
    ])
    expect(results).toEqual([undefined, 'STORE_FULL', undefined, 'STORE_FULL', undefined])
    const found = await Promise.all(['a', 'b', 'c', 'd', 'e', 'large'].map((key) => text(store, key)))
    expect(found).toEqual(['1', '2', '3', undefined, '5', undefined])
    const here = opened({ path, threads: 0, maxBytes: 200_000 })
    expect(await codeOf(() => write(here, [{ type: 'set', key: 'large', value: large }]))).toBe('STORE_FULL')
    await write(here, [{ type: 'delete', key: 'a' }])
  })

  test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'on a disk that is full refuses, and goes on when there is room',
    async ({ skip }) => {
      const disk = await newPath()
      mkdirSync(disk)
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', disk])
      skip(mounted.status !== 0, 'a small disk cannot be mounted here')
      const store = opened({ path: join(disk, 'x.db') })
      try {
        await set(store, 'a', '1')
        const large = () =>
          codeOf(() => write(store, [{ type: 'set', key: 'l', value: Buffer.alloc(700_000) }]))
        expect(await large()).toBe('STORE_FULL')
        expect(await text(store, 'a')).toBe('1')
        spawnSync('mount', ['-o', 'remount,size=16m', disk])
        expect(await large()).toBeUndefined()
      } finally {
        await store.close()
        spawnSync('umount', [disk])
      }
    },
  )

  test.each([0, 1, 2])(
    'that another process keeps locked is OVERLOADED for writes after busyTimeoutMs, and read meanwhile (threads: %i)',
    async (threads) => {
      const path = await newPath()
      const [locker, store, witness] = [
        opened({ path, threads: 0 }),
        opened({ path, threads, busyTimeoutMs: 100 }),
        opened({ path, threads: 0 }),
      ]
      await set(store, 'a', '1')
      locker.native.exec('BEGIN IMMEDIATE')
      expect(await codeOf(() => set(store, 'a', '2'))).toBe('OVERLOADED')
      expect(await codeOf(() => write(store, [{ type: 'increment', key: 'n', by: 1, initial: 0 }]))).toBe(
        'OVERLOADED',
      )
      expect(await text(store, 'a')).toBe('1')
      locker.native.exec('COMMIT')
      // What was refused is not done later, and what is acknowledged now is there for others.
      await set(store, 'a', '3')
      expect([await text(store, 'a'), await text(witness, 'a')]).toEqual(['3', '3'])
      expect(await text(witness, 'n')).toBeUndefined()
    },
  )

  test('that stays locked keeps no queue waiting for longer than busyTimeoutMs a message', async () => {
    const path = await newPath()
    const [locker, store] = [opened({ path, threads: 0 }), opened({ path, threads: 1, busyTimeoutMs: 300 })]
    await set(store, 'a', '1')
    locker.native.exec('BEGIN IMMEDIATE')
    const startedAt = performance.now()
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, i) => codeOf(() => set(store, `k${i}`, 'v'))),
    )
    expect(new Set(codes)).toEqual(new Set(['OVERLOADED']))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    locker.native.exec('COMMIT')
  })

  test('is opened by many at once', async () => {
    const path = await newPath()
    const stores = Array.from({ length: 8 }, () => opened({ path }))
    await Promise.all(stores.map((store, i) => set(store, `k${i}`, 'v')))
    for (const i of stores.keys()) expect(await text(stores[0] as (typeof stores)[0], `k${i}`)).toBe('v')
  })
})

describe('threads', () => {
  test('do calls as a whole: a counter that is none leaves the rest of its call undone, and no other call', async () => {
    const store = opened({ path: await newPath() })
    await set(store, 'text', 'no number')
    const [, refused, done] = await Promise.all([
      set(store, 'first', '1'),
      write(store, [
        { type: 'set', key: 'with', value: Buffer.from('x') },
        { type: 'increment', key: 'text', by: 1, initial: 0 },
      ]),
      write(store, [{ type: 'increment', key: 'n', by: 2, initial: 5 }]),
    ])
    expect(refused.map((result) => ('code' in result ? result.code : 'done'))).toEqual([
      'INVALID_VALUE',
      'INVALID_VALUE',
    ])
    expect(done).toMatchObject([{ value: 7 }])
    expect(await text(store, 'with')).toBeUndefined()
    expect(await text(store, 'first')).toBe('1')
  })

  test('that die are replaced: what was under way is told truly, and the next call works', async () => {
    const path = await newPath()
    const store = opened({ path, threads: 1 })
    await set(store, 'a', '1')
    const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
    const victim = opened({ path, threads: 1 })
    const opening = text(victim, 'a')
    const thread = await started
    await opening
    store.native.exec('BEGIN IMMEDIATE')
    const [written, queued] = [codeOf(() => set(victim, 'a', '2')), text(victim, 'a')]
    await new Promise((done) => setTimeout(done, 50))
    const ended = thread.terminate()
    store.native.exec('COMMIT')
    await ended
    expect(await written).toBe('OUTCOME_UNKNOWN')
    // It waited behind, and is done by the next thread.
    expect(await queued).toMatch(/^[12]$/)
    await set(victim, 'a', '3')
    expect(await text(victim, 'a')).toBe('3')
  })

  test('end a call at its deadline: what did not go to them is never done', async () => {
    const store = opened({ path: await newPath(), threads: 1 })
    await set(store, 'a', '1')
    store.native.exec('BEGIN IMMEDIATE')
    const [first, second] = [
      callOptions({ deadlineAt: performance.now() + 100 }),
      callOptions({ deadlineAt: performance.now() + 100 }),
    ]
    const codes = [codeOf(() => set(store, 'a', '2', first)), codeOf(() => set(store, 'b', '2', second))]
    const controller = new AbortController()
    const aborted = codeOf(() => text(store, 'a', callOptions({ signal: controller.signal })))
    controller.abort()
    expect(await aborted).toBe('ABORTED')
    expect(await Promise.all(codes)).toEqual(['OUTCOME_UNKNOWN', 'TIMEOUT'])
    expect([first.sent, second.sent]).toEqual([true, false])
    store.native.exec('COMMIT')
    expect(await text(store, 'b')).toBeUndefined()
  })

  test('keep no process alive, whether the store is closed or not', async () => {
    const path = await newPath()
    const built = fileURLToPath(new URL('../dist/index.js', import.meta.url))
    for (const close of [true, false]) {
      const script = `
        import { sqlite } from ${JSON.stringify(built)}
        const store = sqlite({ path: ${JSON.stringify(path)} })
        const call = () => ({ deadlineAt: Infinity })
        await store.write([{ type: 'set', key: 'k', value: Buffer.from('v'), version: '${newVersion()}' }], call())
        console.log((await store.read([{ key: 'k' }], call()))[0].value.toString())
        ${close ? 'await store.close(); await store.close()' : ''}`
      const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
        timeout: 20_000,
      })
      expect([status, stdout.trim()]).toEqual([0, 'v'])
    }
  })

  test('answer large values, which are handed over', async () => {
    const store = opened({ path: await newPath() })
    const value = Buffer.alloc(5_000_000, 'large ')
    const writing = write(store, [{ type: 'set', key: 'k', value }])
    value.fill(0)
    await writing
    const kv = keyValue(store)
    const found = Buffer.from((await kv.get('k')) as Uint8Array)
    expect(found.equals(Buffer.alloc(5_000_000, 'large '))).toBe(true)
    for await (const [, entry] of kv.entries()) expect(Buffer.from(entry.value).equals(found)).toBe(true)
  })

  test('refuse everything after close', async () => {
    for (const threads of [0, 1, 2]) {
      const store = opened({ path: await newPath(), threads })
      await set(store, 'a', '1')
      await store.close()
      await store.close()
      expect(await codeOf(() => text(store, 'a'))).toBe('CLOSED')
      expect(await codeOf(() => set(store, 'a', '1'))).toBe('CLOSED')
      expect(await codeOf(() => store.native)).toBe('CLOSED')
    }
  })
})

test('sync(kv) works in the caller’s thread', async () => {
  const kv = sync(keyValue(opened({ path: await newPath(), threads: 0, durability: 'buffered' })))
  kv.set('a', Buffer.from('1'))
  kv.increment('n', 3)
  expect(Buffer.from(kv.get('a') as Uint8Array).toString()).toBe('1')
  expect([...kv.keys()]).toEqual(['a', 'n'])
})

describe('documents', () => {
  test('are JSON text for queries of one’s own', async () => {
    const store = opened({ path: await newPath(), values: 'document' })
    const kv = keyValue(store)
    await kv.set('ada', { name: 'Ada', born: 1815 })
    await kv.set('grace', { name: 'Grace', born: 1906 })
    await kv.increment('count', 2)
    const select = kv.native
      .prepare(`SELECT CAST(k AS TEXT) FROM unikv WHERE json_extract(value, '$.born') < ?`)
      .raw()
    expect(select.all([1900])).toEqual([['ada']])
    expect(await kv.get('count')).toBe(2)
    kv.native.prepare("UPDATE unikv SET value = 'no json' WHERE k = ?").run([Buffer.from('ada')])
    await expect(kv.get('ada')).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('that JSON would change are refused, with the whole call', async () => {
    const store: Store<Json> = opened({ path: await newPath(), values: 'document', threads: 0 })
    const results = await write<Json>(store, [
      { type: 'set', key: 'a', value: { ok: true } },
      { type: 'set', key: 'b', value: { planted: Number.NaN } },
    ])
    expect(results).toMatchObject([{ code: 'INVALID_VALUE' }, { code: 'INVALID_VALUE' }])
    expect(inspect(results, { depth: 9, showHidden: true })).not.toContain('planted')
    expect(await store.read([{ key: 'a' }], callOptions())).toEqual([undefined])
  })
})

test('rows of others in the table are not listed, or are CORRUPT', async () => {
  const store = opened({ path: await newPath(), threads: 0 })
  await set(store, 'mine', '1')
  const insert = store.native.prepare('INSERT INTO unikv (k, version, value) VALUES (?, ?, ?)')
  for (let i = 0; i < 5; i++) insert.run([Buffer.of(0xff, i), Buffer.alloc(12), Buffer.alloc(1)])
  insert.run([Buffer.from('z'), Buffer.alloc(3), Buffer.alloc(1)])
  const kv = keyValue(store)
  const listed: string[] = []
  for await (const key of kv.keys({ pageSize: 2 })) listed.push(key)
  expect(listed).toEqual(['mine', 'z'])
  await expect(kv.get('z')).rejects.toMatchObject({ code: 'CORRUPT' })
})

test('expired rows go in the wake of writes that set an expiry', async () => {
  let now = Date.now()
  const store = opened({ path: await newPath(), threads: 0, clock: () => now })
  const kv = keyValue(store, [], { clock: () => now })
  for (let i = 0; i < 20; i++) await kv.set(`k${i}`, Buffer.from('v'), { ttlMs: 1_000 })
  now += 1_000
  const rows = (): unknown => store.native.prepare('SELECT count(*) FROM unikv').raw().get([])
  expect(await kv.get('k1')).toBeUndefined()
  expect(rows()).toEqual([20])
  await kv.set('new', Buffer.from('v'), { ttlMs: 1_000 })
  expect(rows()).toEqual([1])
})
