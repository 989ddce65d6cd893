import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CassandraStore } from '@unikv/cassandra'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'
import type { FileStore } from '@unikv/file'
import type { LmdbStore } from '@unikv/lmdb'
import type { MemcachedStore } from '@unikv/memcached'
import type { MysqlStore } from '@unikv/mysql'
import type { RedisStore } from '@unikv/redis'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { maskUrl } from '../src/mask-url.ts'
import { type OpenedStore, open } from '../src/open.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'unikv-open-'))
})
afterAll(() => rm(root, { recursive: true }))

async function roundTrip(store: Store<Bytes>): Promise<string | undefined> {
  await using kv = keyValue(store)
  const mine = kv.namespace(`open-${process.pid}`)
  await mine.set('ada', Buffer.from('Ada'))
  const found = await mine.get('ada')
  await mine.delete('ada')
  return found === undefined ? undefined : Buffer.from(found).toString()
}

describe('open', () => {
  test('opens memory, files and LMDB out of the box', async () => {
    for (const url of ['memory:', `file:${root}/f`, `file://${root}/g`, `lmdb:${root}/l`, `FILE:${root}/f`]) {
      expect(await roundTrip(open(url))).toBe('Ada')
    }
  })

  test('takes dataset, durability and name', async () => {
    const flushed = open(`file:${root}/d?dataset=mine&durability=buffered`, { name: 'disk' })
    expect([flushed.name, flushed.capabilities.durability]).toEqual(['disk', 'buffered'])
    const [one, other] = [open(`file:${root}/s?dataset=one`), open(`file:${root}/s`, { dataset: 'other' })]
    await keyValue(one).set('k', Buffer.from('1'))
    expect(await keyValue(other as Store<Bytes>).get('k')).toBeUndefined()
    await one.close()
    await other.close()
  })

  test('knows what it opens by the text of the URL', () => {
    expectTypeOf(open('memory:')).toEqualTypeOf<MemoryStore>()
    expectTypeOf(open('file:./d')).toEqualTypeOf<FileStore>()
    expectTypeOf(open('lmdb:./d')).toEqualTypeOf<LmdbStore>()
    expectTypeOf<RedisStore<{ readonly url: string }>>().toExtend<OpenedStore<'redis://h'>>()
    expectTypeOf<MysqlStore<{ readonly url: string }>>().toExtend<OpenedStore<'mysql://h/d'>>()
    expectTypeOf<CassandraStore<{ readonly url: string }>>().toExtend<OpenedStore<'cassandra://h/k'>>()
    expectTypeOf(open('memcached://h')).toEqualTypeOf<MemcachedStore>()
    const anyUrl: string = 'memory:'.slice()
    expectTypeOf(open(anyUrl)).toEqualTypeOf<Store<Bytes>>()
  })

  test.each([
    [
      'nosuch://host',
      "There is no store for 'nosuch:'; known are memory:, file:, lmdb:, redis:, rediss:, redis+cluster:, rediss+cluster:, mysql:, mariadb:, cassandra:, memcached:.",
    ],
    ['plain', 'A store URL begins with a scheme; known are memory:,'],
    ['memory:x', 'memory: takes no path'],
    ['file:', 'file: takes a path, such as file:./data or file:///var/data.'],
    ['file://host/path', 'file: takes a path'],
    ['file:./d?size=1', "A file URL takes no parameter 'size'; it takes: dataset, durability."],
    ['file:./d?durability=memory', 'durability in a store URL must be one of: flushed, buffered.'],
    ['file:./d?dataset=Not-Allowed', 'dataset must be'],
    ['redis://h/0?family=6', "A redis URL takes no parameter 'family'"],
    ['redis://user:s3cret@', 'This is no Redis URL'],
    ['mysql://user:s3cret@host', 'url must name a database'],
    ['memcached://user:s3cret@', 'url must look like memcached://'],
    ['memcached://h?servers=2', "A memcached URL takes no parameter 'servers'"],
    ['cassandra://user:s3cret@h1,h2:9042', 'Name a keyspace'],
    ['cassandra://user:s3cret@h1:1,h2:2/k', 'url is no URL'],
    ['cassandra://h/k?consistency=most', 'consistency must be a level of Cassandra'],
    ['cassandra://h/k?page=1', "A cassandra URL takes no parameter 'page'"],
  ])('refuses %s', (url, message) => {
    const attempt = (): unknown => open(url)
    expect(attempt).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(message) }),
    )
    expect(attempt).not.toThrow(/s3cret/)
  })
})

describeWith('redis', (url) => {
  test('open speaks to Redis', async () => expect(await roundTrip(open(url))).toBe('Ada'))
})

describeWith('memcached', (url) => {
  test('open speaks to memcached', async () => expect(await roundTrip(open(url))).toBe('Ada'))
})

describeWith('mariadb', (url) => {
  test('open speaks to MariaDB, by either scheme, and makes its table', async () => {
    expect(await roundTrip(open(`${url}?dataset=open_url`))).toBe('Ada')
    expect(await roundTrip(open(url.replace('mysql:', 'mariadb:'), { dataset: 'open_url' }))).toBe('Ada')
  })
})

describeWith('cassandra', (url) => {
  const keyspace = new URL(url)
  keyspace.pathname = '/unikv_open'
  test('open speaks to Cassandra, and makes keyspace and table', async () => {
    expect(await roundTrip(open(`${keyspace}&dataset=open_url`))).toBe('Ada')
    const conditional = open(`${keyspace}&dataset=open_conditions&conditions=true`)
    expect(conditional.capabilities.conditionalWrite).toBe(true)
    expect(await roundTrip(conditional)).toBe('Ada')
  })
})

test.each([
  ['redis://127.0.0.1:6379/0', 'redis://127.0.0.1:6379/0'],
  ['redis://:s3cret@host', 'redis://host'],
  ['mysql://u:p%40ss@host/db?tls=true&password=s3cret', 'mysql://host/db?tls=true'],
  ['mysql://u:p@ss/w@host/db', 'mysql://host/db'],
  ['redis+cluster://u:s3cret@a:1,b:2', 'redis+cluster://a:1,b:2'],
  ['memcached://u:s3cret@a:1,b:2', 'memcached://a:1,b:2'],
  ['cassandra://u:s3cret@a,b:1/k?conditions=true', 'cassandra://a,b:1/k'],
  ['redis:u:s3cret@host', 'redis:host'],
  ['u:s3cret@host', 'u:host'],
  ['file:./user@home', 'file:./user@home'],
  ['file:./d?dataset=x', 'file:./d?dataset=x'],
])('maskUrl(%s) shows %s', (url, masked) => expect(maskUrl(url)).toBe(masked))
