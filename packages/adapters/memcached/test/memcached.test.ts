import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { memcachedKey } from '../src/index.ts'
import { bytes, codeOf, fresh, freshDataset, read, set, text, write } from './fresh.ts'

const mebi = 1024 * 1024

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

  test('scan and what is not declared are UNSUPPORTED', async () => {
    const store = fresh({ url })
    expect(() => store.scan({ prefix: '', pageSize: 1, values: false }, callOptions())).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED' }),
    )
    expect(await codeOf(write(store, { type: 'touch', key: 'k', expiresAt: undefined }))).toBe('UNSUPPORTED')
    expect(store.native.servers).toEqual([host])
  })
})
