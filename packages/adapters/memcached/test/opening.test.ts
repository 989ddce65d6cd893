import { opening } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { type MemcachedClient, type MemcachedOptions, memcached } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

const refused: readonly (readonly [string, MemcachedOptions])[] = [
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
  ['a password without a user', { url: 'memcached://planted-s3cret@h' }],
  ['a % that encodes nothing', { url: 'memcached://u:planted-s3cret%@h' }],
  ['a line break in a password', { url: 'memcached://u:planted-s3cret%0d%0a@h' }],
  ['a user with a space', { servers: ['h'], auth: { username: 'a b', password: 'planted-s3cret' } }],
  ['a dataset with a colon', { dataset: 'a:b' }],
  ['no connections', { maxConnections: 0 }],
  ['half a byte', { maxValueBytes: 0.5 }],
  ['no time', { socketTimeoutMs: 0 }],
]

test('what is declared is there in the types', async () => {
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

describeWith('memcached', (url) => {
  opening<MemcachedOptions>({
    test,
    describe,
    make: memcached,
    refused,
    fresh: () => ({ url, dataset: freshDataset() }),
    server: {
      address: new URL(url).host,
      at: (address, password) => ({
        servers: [address],
        dataset: freshDataset(),
        ...(password !== undefined && { auth: { username: 'app', password } }),
      }),
    },
  })
})
