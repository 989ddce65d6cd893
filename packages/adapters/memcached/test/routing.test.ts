import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { rendezvous } from '../src/client/routing.ts'
import { codeOf, fresh, freshDataset, read, set, text, writeAll } from './fresh.ts'

const names = ['one:1', 'two:2', 'three:3', 'four:4', 'five:5']
const keys = Array.from({ length: 20_000 }, (_, i) => `key-${i}`)

describe('rendezvous', () => {
  test('spreads keys evenly', () => {
    const indexOf = rendezvous(names)
    const counts = names.map(() => 0)
    for (const key of keys) counts[indexOf(key)] = (counts[indexOf(key)] as number) + 1
    for (const count of counts) expect(Math.abs(count - 4_000)).toBeLessThan(400)
  })

  test('moves only the keys of a server that goes, and does not mind the order', () => {
    const before = rendezvous(names)
    const after = rendezvous(names.slice(0, 4))
    const shuffled = names.toReversed()
    const other = rendezvous(shuffled)
    for (const key of keys) {
      const home = before(key)
      if (home < 4) expect(after(key)).toBe(home)
      expect(shuffled[other(key)]).toBe(names[home])
    }
  })

  test('is what another implementation makes of its description', () => {
    const indexOf = rendezvous(names)
    expect(keys.slice(0, 12).map(indexOf).join('')).toBe('414214030202')
  })
})

describeWithOwn('memcached', async () => {
  const servers = [await ownServer('memcached'), await ownServer('memcached'), await ownServer('memcached')]
  afterAll(() => Promise.all(servers.map((server) => server.stop())))
  const hosts = servers.map(({ url }) => new URL(url).host)
  const some = Array.from({ length: 60 }, (_, i) => `k${i}`)

  test('several servers share the keys, and each has its own', async () => {
    const store = fresh({ url: `memcached://${hosts.join()}` })
    const drafts = some.map((key) => ({ type: 'set', key, value: Buffer.from(key) }) as const)
    for (const result of await writeAll(store, drafts)) expect(result).toHaveProperty('version')
    for (const key of some) expect(await text(store, key)).toBe(key)
    for (const server of hosts)
      expect(Number((await store.native.stats('', { server })).curr_items)).toBeGreaterThan(5)
  })

  test('a server that is down takes only its own keys with it, and is back when it is back', async () => {
    const dataset = freshDataset()
    const store = fresh({ servers: hosts, dataset })
    for (const key of some) await set(store, key, key)
    await servers[0]?.kill()
    const down = await Promise.all(some.map((key) => codeOf(read(store, key))))
    const lost = down.filter((code) => code === 'UNAVAILABLE').length
    expect(lost).toBeGreaterThan(5)
    expect(down.filter((code) => code === undefined).length).toBe(some.length - lost)
    const results = await writeAll(
      store,
      some.map((key) => ({ type: 'set', key, value: Buffer.from('new') }) as const),
    )
    expect(results.filter((result) => 'code' in result && result.code === 'UNAVAILABLE')).toHaveLength(lost)
    await servers[0]?.restart()
    const back = await Promise.all(some.map((key) => read(store, key)))
    expect(back.filter((found) => found === undefined)).toHaveLength(lost)
  })
})
