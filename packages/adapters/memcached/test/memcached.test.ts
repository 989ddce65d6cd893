import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest'
import { type MemcachedClient, type MemcachedOptions, memcached, memcachedKey } from '../src/index.ts'
import { bytes, codeOf, fresh, freshDataset, read, set, text, write } from './fresh.ts'

const mebi = 1024 * 1024

describe('options', () => {
  const wrong: readonly (readonly [string, MemcachedOptions])[] = [
    ['another scheme', { url: 'redis://127.0.0.1' }],
    ['a URL without a host', { url: 'memcached://' }],
    ['a path', { url: 'memcached://h/0' }],
    ['a parameter', { url: 'memcached://h?x=1' }],
    ['a port that is none', { url: 'memcached://h:0' }],
    ['a port above all', { servers: ['h:65536'] }],
    ['a line break in a host', { servers: ['h\r\nflush_all'] }],
    ['no server', { servers: [] }],
    ['a server twice', { servers: ['h', 'H:11211'] }],
    ['url and servers', { url: 'memcached://h', servers: ['h'] }],
    ['a password without a user', { url: 'memcached://planted-secret@h' }],
    ['a % that encodes nothing', { url: 'memcached://u:planted-secret%@h' }],
    ['a line break in a password', { url: 'memcached://u:planted-secret%0d%0a@h' }],
    ['a user with a space', { servers: ['h'], auth: { username: 'a b', password: 'planted-secret' } }],
    ['a dataset with a colon', { dataset: 'a:b' }],
    ['no connections', { connections: 0 }],
    ['half a byte', { maxValueBytes: 0.5 }],
    ['no time', { socketTimeoutMs: 0 }],
  ]
  test.each(wrong)('%s is INVALID_CONFIG, and no secret is told', (_, options) => {
    const refusal = expect(() => memcached(options))
    refusal.toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    refusal.not.toThrow(/planted-secret/)
  })

  test('nothing is connected before the first call, and what is declared is there in the types', async () => {
    const store = memcached({ url: 'memcached://127.0.0.1:1' })
    expectTypeOf(store.native).toEqualTypeOf<MemcachedClient>()
    expectTypeOf(store.capabilities.evicts).toEqualTypeOf<true>()
    expectTypeOf(keyValue(store)).not.toHaveProperty('increment')
    expectTypeOf(keyValue(store)).not.toHaveProperty('keys')
    expectTypeOf(keyValue(store)).toHaveProperty('update')
    expect(store.native.servers).toEqual(['127.0.0.1:1'])
    await store.close()
    await store.close()
  })

  test('IPv6 and the default port are understood', () => {
    expect(memcached({ url: 'memcached://[::1]:5,Host' }).native.servers).toEqual(['[::1]:5', 'host:11211'])
  })
})

describeWith('memcached', (url) => {
  const { host } = new URL(url)

  test('a record of others in our place is CORRUPT for reads and conditions, and is replaced by a set', async () => {
    const dataset = freshDataset()
    const store = fresh({ url, dataset })
    const version = await set(store, 'k', 'v')
    const key = memcachedKey(dataset, 'k')
    const record = await store.native.command(`mg ${key} b v`)
    // The same bytes, but not marked as those of the dataset.
    await store.native.command(`ms ${key} b F1`, { data: record.value as Uint8Array })
    expect(await read(store, 'k')).toMatchObject({ code: 'CORRUPT' })
    expect(await codeOf(write(store, { type: 'delete', key: 'k', ifVersion: version }))).toBe('CORRUPT')
    const create = write(store, { type: 'set', key: 'k', value: Buffer.from('w'), ifVersion: null })
    expect(await codeOf(create)).toBe('CORRUPT')
    await set(store, 'k', 'w', 'keep')
    expect(await text(store, 'k')).toBe('w')
  })

  test('a record that expired by its header, and is still there, is absent for every verb', async () => {
    const dataset = freshDataset()
    let now = Date.now()
    const store = fresh({ url, dataset, clock: () => now })
    const there = async (key: string): Promise<string> =>
      (await store.native.command(`mg ${memcachedKey(dataset, key)} b`)).status
    const versions = []
    for (const key of ['a', 'b', 'c', 'd']) versions.push(await set(store, key, 'old', now + 60_000))
    now += 60_000
    expect(await there('a')).toBe('HD')
    expect(await read(store, 'a')).toBeUndefined()
    const one = { value: Buffer.from('new'), key: 'a' }
    expect(await write(store, { type: 'set', ...one, ifVersion: versions[0] as string })).toEqual({
      conditionFailed: true,
    })
    expect(await codeOf(write(store, { type: 'set', ...one, ifVersion: null }))).toBeUndefined()
    expect(await text(store, 'a')).toBe('new')
    expect(await write(store, { type: 'delete', key: 'b', ifVersion: null })).toHaveProperty('version')
    await set(store, 'c', 'kept', 'keep')
    expect(await read(store, 'c')).toMatchObject({ expiresAt: undefined })
  })

  test('the server is told of the expiry: never before it, seconds or points in time', async () => {
    const dataset = freshDataset()
    const store = fresh({ url, dataset })
    const leftS = async (key: string): Promise<number> => {
      const { flags } = await store.native.command(`mg ${memcachedKey(dataset, key)} b t`)
      return Number(flags[0]?.slice(1))
    }
    const day = 24 * 60 * 60
    for (const [key, seconds] of Object.entries({ short: 10, month: 30 * day, long: 400 * day })) {
      await set(store, key, 'v', Date.now() + seconds * 1_000)
      const left = await leftS(key)
      expect(left, key).toBeGreaterThanOrEqual(seconds - 1)
      expect(left, key).toBeLessThanOrEqual(seconds + 4)
    }
    for (const expiresAt of [undefined, 2 ** 32 * 1_000, 2 ** 48 - 1]) {
      await set(store, 'late', 'v', expiresAt)
      expect(await leftS('late')).toBe(-1)
      expect(await read(store, 'late')).toMatchObject({ expiresAt })
    }
    await set(store, 'past', 'v', Date.now() - 1)
    expect((await store.native.command(`mg ${memcachedKey(dataset, 'past')} b`)).status).toBe('EN')
  })

  test('two datasets do not meet, and the longest key of the longest one has its place', async () => {
    const [one, other] = [fresh({ url }), fresh({ url, dataset: `d${'x'.repeat(47)}` })]
    const key = '\u{1f600}'.repeat(45)
    await set(one, key, '1')
    expect(await read(other, key)).toBeUndefined()
    await set(other, key, '2')
    expect(await text(one, key)).toBe('1')
    await write(other, { type: 'delete', key })
  })

  test('nothing in a key is taken for a command', async () => {
    const store = fresh({ url })
    await set(store, 'safe', 'v')
    const keys = [
      'a b',
      'a\r\nflush_all\r\n',
      'a\nmd safe\n',
      '\u0000',
      'k O1',
      'q',
      'a'.repeat(60),
      'é'.repeat(90),
    ]
    for (const key of keys) await set(store, key, key)
    for (const key of keys) expect(await text(store, key)).toBe(key)
    expect(await text(store, 'safe')).toBe('v')
  })

  test('a raw command is one command with one reply', async () => {
    const { native } = fresh({ url })
    const refused = [
      'mn',
      'flush_all',
      'mg a\r\nflush_all',
      'mg a\n',
      'mg a  v',
      'mg a q',
      'mg a O1',
      'mg a k',
      'ms a',
      'get a',
      `mg ${'a'.repeat(251)} v`,
      'mg a é',
    ]
    for (const command of refused)
      expect(await codeOf(native.command(command)), command).toBe('INVALID_ARGUMENT')
    expect(await codeOf(native.command('mg a v', { data: Buffer.from('x') }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(native.command('mg a v', { server: 'elsewhere:1' }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(native.stats('a\r\nflush_all'))).toBe('INVALID_ARGUMENT')
    const key = `raw-${process.pid}`
    expect(await native.command(`ms ${key} T60`, { data: Buffer.from('a\r\nb') })).toMatchObject({
      status: 'HD',
    })
    expect(await native.command(`mg ${key} v s`)).toEqual({
      status: 'VA',
      flags: ['s4'],
      value: Buffer.from('a\r\nb'),
    })
    expect(await native.command(`md ${key}`)).toEqual({ status: 'HD', flags: [], value: undefined })
    expect(Number((await native.stats()).pid)).toBeGreaterThan(0)
    // What the server refuses ends its connection, and the next command has another.
    expect(await codeOf(native.command('mg a b Tx'))).toBe('UNAVAILABLE')
    expect(await native.command(`mg ${key} v`)).toMatchObject({ status: 'EN' })
  })

  test('values are copied when the call comes, and what is read is the reader’s own', async () => {
    const store = fresh({ url })
    const value = Buffer.from('before')
    const writing = write(store, { type: 'set', key: 'k', value })
    value.fill('x')
    await writing
    expect(await text(store, 'k')).toBe('before')
    ;(await bytes(store, 'k')).fill(0)
    expect(await text(store, 'k')).toBe('before')
  })

  test('the value limit of the default server is the declared one, whatever the key', async () => {
    const store = fresh({ url })
    const { maxValueBytes } = store.capabilities
    expect(maxValueBytes).toBe(mebi - 1024)
    const kv = keyValue(store)
    const key = 'k'.repeat(180)
    await kv.set(key, Buffer.alloc(maxValueBytes, 'x'), { ttlMs: 60_000 })
    expect(Buffer.alloc(maxValueBytes, 'x').equals(await bytes(store, key))).toBe(true)
    await expect(kv.set(key, Buffer.alloc(maxValueBytes + 1))).rejects.toMatchObject({
      code: 'VALUE_TOO_LARGE',
    })
  })

  test('what the server finds too large is VALUE_TOO_LARGE, and takes no other command with it', async () => {
    const store = fresh({ url })
    const before = (await store.native.stats()).total_connections
    const mutations = [mebi + 1, 1, 2 * mebi, 2].map(
      (size, i) => ({ type: 'set', key: `k${i}`, value: Buffer.alloc(size), version: newVersion() }) as const,
    )
    const results = await store.write(mutations, callOptions())
    expect(results.map((result) => (isStoreError(result) ? result.code : 'done'))).toEqual([
      'VALUE_TOO_LARGE',
      'done',
      'VALUE_TOO_LARGE',
      'done',
    ])
    expect(await read(store, 'k3')).toMatchObject({ value: Buffer.alloc(2) })
    expect((await store.native.stats()).total_connections).toBe(before)
  })

  test('maxValueBytes above the item size limit of the server is INVALID_CONFIG with the figure', async () => {
    const fits = fresh({ url, maxValueBytes: mebi - 1024 })
    expect(await read(fits, 'k')).toBeUndefined()
    const store = fresh({ url, maxValueBytes: mebi - 1023 })
    expect(await read(store, 'k')).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`Set maxValueBytes to ${mebi - 1024} or less`),
    })
  })

  test('a condition that many writers want is met by one of them', async () => {
    const store = fresh({ url, connections: 4 })
    const rivals = Array.from({ length: 40 }, () =>
      write(store, { type: 'set', key: 'k', value: Buffer.from('v'), ifVersion: null }),
    )
    const results = await Promise.all(rivals)
    expect(results.filter((result) => !('conditionFailed' in result))).toHaveLength(1)
  })

  test('a server that is none of memcached is refused', async () => {
    const store = fresh({ servers: ['127.0.0.1:1'] })
    const error = await read(store, 'k')
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('127.0.0.1:1') })
  })

  test('scan and what is not declared are UNSUPPORTED', async () => {
    const store = fresh({ url })
    expect(() => store.scan({ prefix: '', pageSize: 1, values: false }, callOptions())).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED' }),
    )
    expect(await codeOf(write(store, { type: 'touch', key: 'k', expiresAt: undefined }))).toBe('UNSUPPORTED')
    expect(store.native.servers).toEqual([host])
  })

  test('after close every call is CLOSED', async () => {
    const store = fresh({ url })
    await set(store, 'k', 'v')
    await store.close()
    expect(await codeOf(Promise.resolve(read(store, 'k')))).toBe('CLOSED')
    expect(await codeOf(write(store, { type: 'delete', key: 'k' }))).toBe('CLOSED')
  })
})

describeWithOwn('memcached', () => {
  test('a server that evicts nothing and is full answers STORE_FULL, and keeps the others', async () => {
    await using server = await ownServer('memcached', { args: ['-M', '-m', '8'] })
    const store = fresh({ url: server.url })
    await set(store, 'first', 'v')
    const value = Buffer.alloc(500_000, 'x')
    const codes = []
    for (let i = 0; i < 40; i++) codes.push(await codeOf(write(store, { type: 'set', key: `k${i}`, value })))
    expect(new Set(codes)).toEqual(new Set([undefined, 'STORE_FULL']))
    expect(codes.at(-1)).toBe('STORE_FULL')
    expect(await text(store, 'first')).toBe('v')
    const free = codes.indexOf('STORE_FULL') - 1
    await write(store, { type: 'delete', key: `k${free}` })
    expect(await codeOf(write(store, { type: 'set', key: 'again', value }))).toBeUndefined()
  })

  test('a server that takes no more connections is OVERLOADED', async () => {
    await using server = await ownServer('memcached', { args: ['-c', '20', '-t', '1'] })
    const stores = Array.from({ length: 30 }, () => fresh({ url: server.url }))
    const codes = []
    for (const store of stores) codes.push(await codeOf(Promise.resolve(read(store, 'k'))))
    expect(codes[0]).toBeUndefined()
    expect(codes.at(-1)).toBe('OVERLOADED')
    expect(await read(stores[0] as (typeof stores)[0], 'k')).toBeUndefined()
  })

  test('a larger item size limit makes room for larger values', async () => {
    await using server = await ownServer('memcached', { args: ['-I', '4m'] })
    const maxValueBytes = 4 * mebi - 1024
    const store = fresh({ url: server.url, maxValueBytes })
    const value = Buffer.alloc(maxValueBytes, 'x')
    await write(store, { type: 'set', key: 'k'.repeat(180), value })
    expect(value.equals(await bytes(store, 'k'.repeat(180)))).toBe(true)
  })

  describe('with an authentication file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unikv-memcached-'))
    const file = join(folder, 'users')
    await writeFile(file, 'ada:planted-secret\n')
    await chmod(folder, 0o755)
    await chmod(file, 0o644)
    const server = await ownServer('memcached', { args: ['-Y', file] })
    afterAll(async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    })
    const at = (info: string): string => server.url.replace('//', `//${info}@`)

    test('the right user is let in, by URL and by option', async () => {
      const store = fresh({ url: at('ada:planted-secret') })
      await set(store, 'k', 'v')
      expect(await text(store, 'k')).toBe('v')
      const auth = { username: 'ada', password: 'planted-secret' }
      expect(await read(fresh({ url: server.url, auth }), 'k')).toBeUndefined()
    })

    test('a wrong one, or none, is ACCESS_DENIED, and the secret is nowhere', async () => {
      for (const url of [at('ada:wrong-planted-secret'), at('eve:planted-secret'), server.url]) {
        const error = await read(fresh({ url }), 'k')
        expect(error).toMatchObject({ code: 'ACCESS_DENIED', retryable: false })
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted-secret')
      }
    })
  })

  test('credentials are not given to a server that asks for none', async () => {
    await using server = await ownServer('memcached')
    const store = fresh({ url: server.url.replace('//', '//ada:planted-secret@') })
    await set(store, 'k', 'v')
    expect((await store.native.command('mg auth v')).status).toBe('EN')
  })
})
