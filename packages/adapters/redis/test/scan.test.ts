import type { Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { behind, bytes, errorOf, fresh, keys, read, set, textOf, write, writeAll } from './fresh.ts'

describeWithOwn('redis', () => {
  let server: OwnServer
  let url: `redis://${string}`
  beforeAll(async () => {
    server = await ownServer('redis', { args: ['--save', '', '--appendonly', 'yes'] })
    url = server.url as typeof url
  })
  afterAll(() => server.stop())

  test('hostile keys and prefixes are listed as they are', async () => {
    const key = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom('*', '?', '[', ']', '\\', '-', '^', '{', '}', ':'),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        ),
        minLength: 1,
        maxLength: 12,
      })
      .filter((text) => text.isWellFormed())
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 30 }),
        fc.string({ maxLength: 2 }).filter((text) => text.isWellFormed()),
        async (all, prefix) => {
          const store = fresh({ url })
          await writeAll(
            store,
            all.map((one) => ({ type: 'set', key: one, value: bytes(one) })),
          )
          expect((await keys(store, prefix, 7)).sort()).toEqual(
            all.filter((one) => one.startsWith(prefix)).sort(),
          )
          await store.close()
        },
      ),
      { numRuns: 40 },
    )
  })

  test('what is not of this dataset is not listed: neighbours, foreign strings, other types, names that are no text', async () => {
    const { store, client, prefix } = behind({ url })
    await set(store, 'mine', 'v')
    await client.set(`${prefix}text`, 'no record of ours, but long enough for a header')
    await client.set(`${prefix}empty`, '')
    await client.set(prefix, 'no key at all')
    await client.set(`${prefix.slice(0, -1)}2:k`, Buffer.concat([Buffer.from([0xd5, 1]), Buffer.alloc(18)]))
    await client.set(`other${prefix}k`, Buffer.concat([Buffer.from([0xd5, 1]), Buffer.alloc(18)]))
    await client.set(
      Buffer.concat([Buffer.from(prefix), Buffer.from([0xff, 0xfe])]),
      Buffer.concat([Buffer.from([0xd5, 1]), Buffer.alloc(18)]),
    )
    await client.rpush(`${prefix}list`, 'x')
    await client.hset(`${prefix}hash`, 'f', 'x')
    expect(await keys(store)).toEqual(['mine'])
    expect(await entries(store)).toEqual([['mine', 'v']])
  })

  test('a scan of raw values lists strings as they are, and no other types', async () => {
    const { store, client, prefix } = behind({ url, values: 'raw' })
    await client.mset(`${prefix}a`, '1', `${prefix}b`, '')
    await client.rpush(`${prefix}list`, 'x')
    expect((await keys(store)).sort()).toEqual(['a', 'b'])
    expect(new Map(await entries(store))).toEqual(
      new Map([
        ['a', '1'],
        ['b', ''],
      ]),
    )
  })

  test('thousands of keys are listed in pages that are never too large, and from each position the rest', async () => {
    const store = fresh({ url })
    const all = Array.from({ length: 5_000 }, (_, i) => `key ${i}`)
    for (let i = 0; i < all.length; i += 1_000)
      await writeAll(
        store,
        all.slice(i, i + 1_000).map((key) => ({ type: 'set', key, value: bytes(key) })),
      )
    const seen = new Set<string>()
    let pages = 0
    for await (const { entries: page, resume } of store.scan(
      { prefix: 'key ', pageSize: 300, values: true },
      callOptions(),
    )) {
      expect(page.length).toBeLessThanOrEqual(300)
      for (const { key } of page) seen.add(key)
      if (pages++ % 5 !== 0 || resume === undefined) continue
      const rest = new Set(seen)
      for await (const next of store.scan(
        { prefix: 'key ', pageSize: 1_000, values: false, resume },
        callOptions(),
      ))
        for (const { key } of next.entries) rest.add(key)
      expect(rest.size).toBe(5_000)
    }
    expect(seen.size).toBe(5_000)
  })

  test('a key that lives throughout is listed while thousands come and go', async () => {
    const store = fresh({ url })
    const lasting = Array.from({ length: 500 }, (_, i) => `lasting ${i}`)
    await writeAll(
      store,
      lasting.map((key) => ({ type: 'set', key, value: bytes('v') })),
    )
    const seen = new Set<string>()
    let resume: string | undefined
    let round = 0
    do {
      const [page] = await firstPages(store, resume)
      for (const { key } of page?.entries ?? []) seen.add(key)
      resume = page?.resume
      // The table of the server grows and shrinks between any two pages.
      const passing = Array.from(
        { length: 900 },
        (_, i) => `passing ${round % 2 === 0 ? round : round - 1} ${i}`,
      )
      await writeAll(
        store,
        passing.map((key) =>
          round % 2 === 0 ? { type: 'set', key, value: bytes('v') } : { type: 'delete', key },
        ),
      )
      round++
    } while (resume !== undefined && round < 500)
    expect(lasting.filter((key) => !seen.has(key))).toEqual([])
  })

  test('a scan goes on after its server was restarted, and misses nothing', async () => {
    const store = fresh({ url })
    const all = Array.from({ length: 400 }, (_, i) => `key ${i}`)
    await writeAll(
      store,
      all.map((key) => ({ type: 'set', key, value: bytes('v') })),
    )
    const [first] = await firstPages(store, undefined)
    await store.native.call('CONFIG', 'SET', 'appendfsync', 'always')
    await write(store, { type: 'set', key: 'key 0', value: bytes('v') })
    await server.restart()
    await errorOf(() => read(store, 'key 0'))
    const seen = new Set(first?.entries.map(({ key }) => key))
    for await (const { entries: page } of store.scan(
      { prefix: '', pageSize: 50, values: false, resume: first?.resume },
      callOptions(),
    ))
      for (const { key } of page) seen.add(key)
    expect(seen.size).toBe(400)
  })

  test('a position that is none is refused', async () => {
    const store = fresh({ url })
    await set(store, 'k', 'v')
    for (const resume of [
      '',
      'x',
      '1',
      '[]',
      '["","",""]',
      '["","","","x"]',
      '[1,2,3,4]',
      '{}',
      '["","","","1",2]',
    ]) {
      expect(await errorOf(() => firstPages(store, resume)), resume).toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
  })

  test('a user without the permission for INFO lists all the same', async () => {
    const { store, client } = behind({ url })
    await set(store, 'k', 'v')
    await client.acl('SETUSER', 'lister', 'on', '>pw', '~*', '+@all', '-info')
    const dataset = /^[^:]+/.exec((await client.keys('*:k'))[0] ?? '')?.[0]
    const other = fresh({ url: url.replace('redis://', 'redis://lister:pw@') as typeof url, dataset })
    expect(await keys(other)).toContain('k')
  })
})

async function entries(store: Store<Uint8Array>): Promise<[string, string | undefined][]> {
  const all: [string, string | undefined][] = []
  for await (const page of store.scan({ prefix: '', pageSize: 10, values: true }, callOptions())) {
    for (const { key, entry } of page.entries) all.push([key, textOf(entry)])
  }
  return all
}

async function firstPages(store: Store<Uint8Array>, resume: string | undefined) {
  for await (const page of store.scan({ prefix: '', pageSize: 40, values: false, resume }, callOptions()))
    return [page]
  return []
}
