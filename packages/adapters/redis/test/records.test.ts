import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { redis } from '../src/index.ts'
import {
  behind,
  bytes,
  codeOf,
  fresh,
  freshDataset,
  read,
  set,
  text,
  textOf,
  track,
  write,
  writeAll,
} from './fresh.ts'

describeWith('redis', (url) => {
  test('a batch of every kind of mutation answers item by item', async () => {
    const store = fresh({ url })
    const v = await set(store, 'cas', 'old')
    await set(store, 'gone', 'x')
    await set(store, 'kept', 'x', Date.now() + 60_000)
    const soon = Date.now() + 120_000
    const results = await writeAll(store, [
      { type: 'set', key: 'a', value: bytes('a'), version: v },
      { type: 'set', key: 'b', value: bytes('b'), expiresAt: soon },
      { type: 'set', key: 'cas', value: bytes('new'), ifVersion: v },
      { type: 'set', key: 'lost', value: bytes('new'), ifVersion: v },
      { type: 'delete', key: 'gone' },
      { type: 'set', key: 'c', value: bytes('c'), expiresAt: soon },
      { type: 'touch', key: 'kept', expiresAt: undefined },
      { type: 'increment', key: 'n', by: 5, initial: 10 },
      { type: 'delete', key: 'never' },
      { type: 'set', key: 'd', value: bytes('d') },
    ])
    expect(results[0]).toEqual({ version: v })
    expect(results[3]).toEqual({ conditionFailed: true, version: undefined })
    expect(results[7]).toMatchObject({ value: 15 })
    expect(results.filter((result) => 'conditionFailed' in result || result instanceof Error)).toHaveLength(1)
    const found = await store.read(
      ['a', 'b', 'cas', 'lost', 'gone', 'c', 'kept', 'n', 'd'].map((key) => ({ key })),
      callOptions(),
    )
    expect(found.map(textOf)).toEqual(['a', 'b', 'new', undefined, undefined, 'c', 'x', '15', 'd'])
    expect(found[1]).toMatchObject({ expiresAt: soon })
    expect(found[6]).toMatchObject({ expiresAt: undefined })
  })

  test('a batch of reads of every kind answers item by item', async () => {
    const store = fresh({ url })
    const a = await set(store, 'a', 'a')
    const b = await set(store, 'b', 'b')
    const found = await store.read(
      [
        { key: 'a', ifNotVersion: a },
        { key: 'b', ifNotVersion: a },
        { key: 'absent', ifNotVersion: a },
        { key: 'a2' },
        { key: 'b2', head: true },
      ],
      callOptions(),
    )
    expect(found[0]).toEqual({ notModified: true, version: a, expiresAt: undefined })
    expect(found[1]).toMatchObject({ version: b, value: Buffer.from('b') })
    expect(found.slice(2)).toEqual([undefined, undefined, undefined])
    expect(await read(store, 'b', { head: true })).toEqual({
      notModified: true,
      version: b,
      expiresAt: undefined,
    })
  })

  test('a record expires by the server, and at once for every verb', async () => {
    const store = fresh({ url })
    await set(store, 'soon', 'x', Date.now() + 80)
    while ((await read(store, 'soon')) !== undefined) await new Promise((done) => setTimeout(done, 20))
    expect(await read(store, 'soon')).toBeUndefined()
    await set(store, 'past', 'x', Date.now() - 1_000)
    expect(await read(store, 'past')).toBeUndefined()
    expect(await read(store, 'past', { head: true })).toBeUndefined()
    expect(await write(store, { type: 'touch', key: 'past', expiresAt: undefined })).toEqual({
      conditionFailed: true,
      version: undefined,
    })
    expect(
      await write(store, { type: 'set', key: 'past', value: bytes('y'), ifVersion: null }),
    ).toMatchObject({ version: expect.any(String) })
  })

  test('what is no record of ours is corrupt for reads, and never absent for a condition', async () => {
    const { store, client, prefix } = behind({ url })
    const foreign: Record<string, string | Buffer> = {
      short: 'x',
      empty: '',
      text: 'a text that is longer than a record header',
      nearly: Buffer.concat([Buffer.from([0xd5, 2]), Buffer.alloc(30)]),
    }
    for (const [key, value] of Object.entries(foreign)) await client.set(prefix + key, value)
    await client.rpush(`${prefix}list`, 'item')
    for (const key of [...Object.keys(foreign), 'list']) {
      const where = `key ${key}`
      expect(await codeOf(read(store, key)), where).toBe('CORRUPT')
      expect(await codeOf(read(store, key, { head: true })), where).toBe('CORRUPT')
      expect(await codeOf(read(store, key, { ifNotVersion: newVersion() })), where).toBe('CORRUPT')
      expect(
        await codeOf(write(store, { type: 'set', key, value: bytes('mine'), ifVersion: null })),
        where,
      ).toBe('CORRUPT')
      expect(
        await codeOf(write(store, { type: 'set', key, value: bytes('mine'), expiresAt: 'keep' })),
        where,
      ).toBe('CORRUPT')
      expect(await codeOf(write(store, { type: 'delete', key, ifVersion: null })), where).toBe('CORRUPT')
      expect(await codeOf(write(store, { type: 'touch', key, expiresAt: undefined })), where).toBe('CORRUPT')
      expect(await codeOf(write(store, { type: 'increment', key, by: 1, initial: 0 })), where).toBe('CORRUPT')
    }
    expect(await client.get(`${prefix}text`)).toBe(foreign['text'])
    expect(await client.lrange(`${prefix}list`, 0, -1)).toEqual(['item'])
  })

  test('raw values are foreign strings as they are', async () => {
    const { store, client, prefix } = behind({ url, values: 'raw' })
    await client.set(`${prefix}theirs`, 'plain')
    expect(await read(store, 'theirs')).toEqual({
      value: Buffer.from('plain'),
      version: undefined,
      expiresAt: undefined,
    })
    expect(await write(store, { type: 'set', key: 'ours', value: bytes('as it is') })).toEqual({
      version: undefined,
    })
    expect(await client.get(`${prefix}ours`)).toBe('as it is')
    expect(textOf(await read(store, 'ours', { head: true }))).toBe('as it is')
    expect(store.capabilities).toMatchObject({
      conditionalWrite: false,
      conditionalRead: false,
      ttl: false,
      touch: false,
      increment: false,
    })
  })

  test('datasets with similar names do not see each other', async () => {
    const dataset = freshDataset()
    const [one, two] = [track(redis({ url, dataset })), track(redis({ url, dataset: `${dataset}2` }))]
    await set(one, '2:k', 'one')
    await set(two, 'k', 'two')
    expect(await text(one, '2:k')).toBe('one')
    expect(await text(two, 'k')).toBe('two')
    expect(await read(one, 'k')).toBeUndefined()
  })

  test('a key of 65,487 bytes is kept', async () => {
    const store = fresh({ url, dataset: `d${freshDataset()}`.padEnd(48, 'x') })
    const key = 'k'.repeat(store.capabilities.maxKeyBytes)
    await set(store, key, 'v')
    expect(await text(store, key)).toBe('v')
    expect(Buffer.byteLength(`${'d'.repeat(48)}:${key}`)).toBe(65_536)
  })

  test('what the caller does to its bytes while the connection opens changes nothing', async () => {
    const kv = keyValue(fresh({ url }))
    const value = bytes('before')
    const answer = kv.set('k', value)
    value.fill(0)
    await answer
    expect(await kv.get('k')).toEqual(bytes('before'))
  })
})
