import { keyValue, text } from '@unikv/core'
import type { AnyKeyValue } from '@unikv/http'
import { listen } from '@unikv/http/node'
import { upstash } from '@unikv/http/upstash'
import { Redis } from '@upstash/redis'
import { afterAll, describe, expect, test } from 'vitest'
import { onFourStores } from './four-stores.ts'

// The real client of Upstash, over stores of other kinds.

const token = 'a-token-of-the-tests'
const served: Record<string, AnyKeyValue> = {}
const server = await listen(upstash(() => served, { tokens: [{ name: 'tests', token, may: 'admin' }] }))
afterAll(() => server.close())

/** A client of a store that is served under a name of its own. */
function clientOf(kv: AnyKeyValue, enableAutoPipelining = false): Redis {
  const name = `store_${Object.keys(served).length}`
  served[name] = kv
  return new Redis({ url: `${server.url}/${name}`, token, retry: false, enableAutoPipelining })
}

onFourStores('upstash', (store) => {
  const kv = keyValue(store)
  const redis = clientOf(kv)

  test('gets what was set: text, JSON, numbers, and nothing', async () => {
    for (const value of ['ä €', { a: [1, 'x'] }, 5, true, '', 'OK']) {
      expect(await redis.set('v', value)).toBe('OK')
      expect(await redis.get('v')).toEqual(value)
    }
    expect(await redis.get('absent')).toBeNull()
    expect(await redis.mget('v', 'absent', 'v')).toEqual(['OK', null, 'OK'])
    await expect(redis.set('', 1)).rejects.toThrow('INVALID_KEY')
  })

  test('sets under conditions, and tells what was there', async () => {
    expect(await redis.set('c', 'a', { xx: true })).toBeNull()
    expect(await redis.set('c', 'a', { nx: true })).toBe('OK')
    expect(await redis.set('c', 'b', { nx: true })).toBeNull()
    expect(await redis.setnx('c', 'b')).toBe(0)
    expect(await redis.set('c', 'b', { xx: true })).toBe('OK')
    expect(await redis.set('c', 'c', { get: true })).toBe('b')
    expect(await redis.set('c', 'd', { get: true, nx: true })).toBe('c')
    expect(await redis.getset('c', 'e')).toBe('c')
    expect(await redis.getdel('c')).toBe('e')
    expect(await redis.getdel('c')).toBeNull()
  })

  test('gives and takes expiries', async () => {
    await redis.set('e', 'v', { ex: 600 })
    expect(await redis.ttl('e')).toBeGreaterThan(500)
    await redis.set('e', 'w', { keepTtl: true })
    expect(await redis.pttl('e')).toBeGreaterThan(500_000)
    expect(await redis.persist('e')).toBe(1)
    expect([await redis.persist('e'), await redis.ttl('e'), await redis.ttl('absent')]).toEqual([0, -1, -2])
    expect(await redis.expire('e', 300, 'xx')).toBe(0)
    expect(await redis.expire('e', 300, 'gt')).toBe(0)
    expect(await redis.expire('e', 300, 'nx')).toBe(1)
    expect(await redis.pexpireat('e', Date.now() + 900_000, 'gt')).toBe(1)
    expect(await redis.expireat('e', Math.floor(Date.now() / 1000) + 600, 'gt')).toBe(0)
    expect(await redis.getex('e', { px: 50_000 })).toBe('w')
    expect(await redis.ttl('e')).toBeLessThanOrEqual(50)
    expect(await redis.expire('e', -1)).toBe(1)
    expect(await redis.exists('e')).toBe(0)
    await redis.setex('e', 600, 'v')
    await redis.psetex('f', 600_000, 'v')
    await redis.set('e', 'v')
    expect([await redis.ttl('e'), (await redis.ttl('f')) > 500]).toEqual([-1, true])
    await expect(redis.set('e', 'v', { ex: 0 })).rejects.toThrow("ERR invalid expire time in 'set' command")
    expect(await redis.get('e')).toBe('v')
  })

  test('counts, exactly, with many at once', async () => {
    expect(await redis.incrby('n', 40)).toBe(40)
    expect([await redis.incr('n'), await redis.decr('n'), await redis.decrby('n', 10)]).toEqual([41, 40, 30])
    await redis.expire('n', 600)
    const sums = await Promise.all(Array.from({ length: 20 }, () => redis.incr('n')))
    expect(sums.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => 31 + i))
    expect(await redis.ttl('n')).toBeGreaterThan(500)
    await redis.set('n', 'text')
    await expect(redis.incr('n')).rejects.toThrow('ERR value is not an integer or out of range')
    await expect(redis.incrby('n', 1.5)).rejects.toThrow('ERR value is not an integer or out of range')
  })

  test('changes and reads parts', async () => {
    expect([await redis.append('p', 'Hello'), await redis.append('p', ' World')]).toEqual([5, 11])
    expect(await redis.setrange('p', 6, 'Redis')).toBe(11)
    expect([await redis.getrange('p', 0, 4), await redis.getrange('p', -5, -1)]).toEqual(['Hello', 'Redis'])
    expect([await redis.getrange('p', 5, 2), await redis.getrange('absent', 0, -1)]).toEqual(['', ''])
    expect([await redis.strlen('p'), await redis.strlen('absent')]).toEqual([11, 0])
    expect(await redis.setrange('q', 3, 'x')).toBe(4)
    expect(Buffer.from((await kv.get('q')) as Uint8Array)).toEqual(Buffer.from('\0\0\0x'))
    await expect(redis.setrange('q', 2 ** 40, 'x')).rejects.toThrow('ERR string exceeds maximum allowed size')
    expect(await redis.strlen('q')).toBe(4)
  })

  test('deletes and lists', async () => {
    for (const key of ['l:1', 'l:2', 'l:30', 'm*', 'm1']) await redis.set(key, 'v')
    expect(await redis.exists('l:1', 'l:1', 'absent')).toBe(2)
    expect([await redis.type('l:1'), await redis.type('absent')]).toEqual(['string', 'none'])
    expect((await redis.keys('l:*')).sort()).toEqual(['l:1', 'l:2', 'l:30'])
    expect(await redis.keys('?:[12]')).toHaveLength(2)
    expect(await redis.keys('m\\*')).toEqual(['m*'])
    const found: string[] = []
    let cursor = '0'
    do {
      const [next, keys] = await redis.scan(cursor, { match: 'l:*', count: 1 })
      cursor = next
      found.push(...keys)
    } while (cursor !== '0')
    expect(new Set(found)).toEqual(new Set(['l:1', 'l:2', 'l:30']))
    expect(await redis.del('l:1', 'l:1', 'absent', 'l:2')).toBe(2)
    expect(await redis.unlink('l:30')).toBe(1)
    expect([await redis.ping(), await redis.echo('said')]).toEqual(['PONG', 'said'])
    await kv.namespace('other').set('k', new Uint8Array(1))
    expect(await redis.dbsize()).toBe((await redis.keys('*')).length)
    expect(await redis.flushdb()).toBe('OK')
    expect([await redis.dbsize(), await kv.namespace('other').has('k')]).toEqual([0, true])
  })

  test('a pipeline goes in order, and an error ends nothing', async () => {
    const pipeline = redis.pipeline().set('x', 1).incr('x').get('x').hset('x', { a: 1 }).del('x').get('x')
    const results = await pipeline.exec({ keepErrors: true })
    expect(results.map(({ result }) => result)).toEqual(['OK', 2, 2, undefined, 1, null])
    expect(results[3]?.error).toContain("unknown command 'HSET'")
  })

  test('a transaction takes effect as a whole where the store does that, and is refused elsewhere', async () => {
    await redis.set('t', 'old')
    const together = redis.multi().set('t', 'new').set('u', 'new', { ex: 600 }).exec()
    if (store.capabilities.batch.atomicity === 'all') {
      expect(await together).toEqual(['OK', 'OK'])
      expect(await redis.mset({ t: 1, u: 2 })).toBe('OK')
      expect(await redis.mget('t', 'u')).toEqual([1, 2])
    } else {
      await expect(together).rejects.toThrow('EXECABORT')
      await expect(redis.mset({ t: 1, u: 2 })).rejects.toThrow('ERR MSET needs a store')
      expect(await redis.get('t')).toBe('old')
    }
    await expect(redis.multi().set('t', 'x').incr('u').exec()).rejects.toThrow('EXECABORT')
    await expect(redis.multi().set('t', 'x').set('t', 'y').exec()).rejects.toThrow('EXECABORT')
    expect(await redis.get('t')).not.toBe('x')
    await redis.del('t', 'u')
  })

  test('commands of one turn travel as one pipeline', async () => {
    const own = clientOf(kv, true)
    await own.set('a1', 'v')
    const all = Array.from({ length: 50 }, (_, i) => own.set(`a${i}`, i))
    expect(await Promise.all([...all, own.get('a1')])).toContain('OK')
    expect(await Promise.all(Array.from({ length: 50 }, (_, i) => own.get(`a${i}`)))).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    )
    await redis.flushdb()
  })
})

describe('a store of text', () => {
  test('counts by versions, as its codec hides the counters of the store', async () => {
    const { memory } = await import('@unikv/core/memory')
    const kv = keyValue(memory(), [text()])
    const redis = clientOf(kv)
    await Promise.all(Array.from({ length: 30 }, () => redis.incr('n')))
    expect(await kv.get('n')).toBe('30')
    expect(await redis.append('n', '!')).toBe(3)
  })
})
