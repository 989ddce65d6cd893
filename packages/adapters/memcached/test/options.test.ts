import { keyValue } from '@unikv/core'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type MemcachedClient, type MemcachedOptions, memcached } from '../src/index.ts'

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
