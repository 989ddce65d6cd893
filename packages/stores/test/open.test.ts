import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CassandraStore } from '@unikv/cassandra'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'
import type { CouchdbStore } from '@unikv/couchdb'
import type { DynamodbStore } from '@unikv/dynamodb'
import type { FileStore } from '@unikv/file'
import type { HbaseOptions, HbaseStore } from '@unikv/hbase'
import type { LmdbStore } from '@unikv/lmdb'
import type { MemcachedStore } from '@unikv/memcached'
import type { MongodbStore } from '@unikv/mongodb'
import type { MysqlStore } from '@unikv/mysql'
import type { PostgresStore } from '@unikv/postgres'
import type { RedisStore } from '@unikv/redis'
import { prepareS3, type S3Store } from '@unikv/s3'
import type { SwiftStore } from '@unikv/swift'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { maskUrl } from '../src/mask-url.ts'
import { open } from '../src/open.ts'
import type { OpenedStore } from '../src/opening.ts'
import { schemes } from '../src/table.ts'

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

  test('opens SQLite, on threads or in this one', async () => {
    for (const url of [
      `sqlite:${root}/q.db`,
      `sqlite:${root}/q.db?threads=1`,
      `sqlite:${root}/q.db?threads=0&durability=buffered`,
    ])
      expect(await roundTrip(open(url))).toBe('Ada')
    expect(open(`sqlite:${root}/q.db?threads=0`).capabilities.sync).toBe('all')
  })

  test('opens embedded stores to be read only, and LMDB to answer writes at once', async () => {
    for (const file of [`lmdb:${root}/ro`, `sqlite:${root}/ro.db`]) {
      expect(await roundTrip(open(file))).toBe('Ada')
      const readOnly: Store<Bytes> = open(`${file}?readOnly=true`)
      await using kv = keyValue(readOnly)
      await expect(kv.set('k', Buffer.from('1'))).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    }
    expect(open(`lmdb:${root}/l?sync=true`).capabilities.sync).toBe('all')
    expect(() => open(`lmdb:${root}/l?sync=yes`)).toThrow(/sync in a store URL must be one of: true, false/)
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
    expectTypeOf<MongodbStore<{ readonly url: string }>>().toExtend<OpenedStore<'mongodb://h/d'>>()
    expectTypeOf<MysqlStore<{ readonly url: string }>>().toExtend<OpenedStore<'mysql://h/d'>>()
    expectTypeOf<PostgresStore<{ readonly url: string }>>().toExtend<OpenedStore<'postgres://h/d'>>()
    expectTypeOf<CassandraStore<{ readonly url: string }>>().toExtend<OpenedStore<'cassandra://h/k'>>()
    expectTypeOf(open('memcached://h')).toEqualTypeOf<MemcachedStore>()
    expectTypeOf(open('hbase://h/t')).toEqualTypeOf<HbaseStore<HbaseOptions>>()
    expectTypeOf<CouchdbStore<{ readonly url: string }>>().toExtend<OpenedStore<'couchdb://h/d'>>()
    expectTypeOf<SwiftStore>().toExtend<OpenedStore<'swift://h/c'>>()
    expectTypeOf<S3Store<{ readonly bucket: string }>>().toExtend<OpenedStore<'s3://b'>>()
    expectTypeOf<DynamodbStore<{ readonly table: string }>>().toExtend<OpenedStore<'dynamodb://t'>>()
    const anyUrl: string = 'memory:'.slice()
    expectTypeOf(open(anyUrl)).toEqualTypeOf<Store<Bytes>>()
  })

  test.each([
    ['nosuch://host', `No store has the scheme 'nosuch:'. Known schemes: ${schemes.join(':, ')}:.`],
    ['plain', 'A store URL must begin with a scheme. Known schemes: memory:,'],
    ['memory:x', 'A memory: URL takes no path'],
    ['file:', 'file: takes a path, such as file:./data or file:///var/data.'],
    ['file://host/path', 'file: takes a path'],
    ['redis://h?db=1&db=2', "A redis URL must have the parameter 'db' only once."],
    ['postgres://h/d?sslmode=disable&sslmode=require', "the parameter 'sslmode' only once"],
    ['mysql://h/d?socket=', 'The parameter socket of url must be the path of a Unix socket.'],
    ['file:./d?size=1', "A file URL takes no parameter 'size'; it takes: dataset, durability."],
    ['file:./d?durability=memory', 'durability in a store URL must be one of: flushed, buffered.'],
    ['file:./d?dataset=Not-Allowed', '`dataset` of file() must match'],
    ['sqlite:', 'sqlite: takes a path'],
    ['sqlite:./d?threads=two', 'threads in a store URL must be a number of threads'],
    ['sqlite:./d?threads=99', '`threads` of sqlite() must be a whole number from 0 to 64; got 99'],
    ['sqlite:./d?mode=ro', "A sqlite URL takes no parameter 'mode'"],
    ['redis://h/0?family=6', 'A redis URL cannot take family. Write the address as the host.'],
    ['redis://h/1?db=2', 'name different databases'],
    ['redis+unix://run', 'write a Unix socket as redis+unix:///run/redis.sock?db=2'],
    ['redis://user:s3cret@', 'The URL is not a Redis URL'],
    ['redis://h?driver=other', 'driver in a store URL must be one of: ioredis, node-redis.'],
    ['redis+cluster://h?driver=node-redis', "a cluster needs driver 'ioredis'"],
    ['hbase://user:s3cret@', 'url must be the address of an HBase REST gateway'],
    ['hbase://user:s3cret@h/Table', '`table` of hbase() must match'],
    ['hbase://h/t?family=x', "A hbase URL takes no parameter 'family'"],
    ['mysql://user:s3cret@host', 'url must name a database'],
    ['mysql://user:s3cret@h/d?driver=other', "driver must be 'mysql2' or 'mariadb'."],
    ['postgres://user:s3cret@host', 'url must name a database'],
    [
      'postgresql://user:s3cret@h/d?sslmode=prefer',
      'A postgres URL cannot take sslmode. It would send data unencrypted',
    ],
    ['postgres://h/d?lockReads=yes', 'lockReads in a store URL must be one of: true, false.'],
    ['mysql://h/d?lockReads=yes', 'lockReads in a store URL must be one of: true, false.'],
    ['postgres://h/d?options=-c', 'A postgres URL cannot take options. Hand a pool'],
    ['couchdb://user:s3cret@host/_users', 'database must match [a-z][a-z0-9_]{0,47}.'],
    ['couchdb://user:s3cret@host/a?dataset=b', 'url and database name different databases.'],
    ['couchdb://h/d?heartbeat=1', "A couchdb URL takes no parameter 'heartbeat'"],
    ['swift://user:s3cret@host/a/b', 'A swift URL names one container'],
    ['swift://user@host/a', 'auth.v1 needs url, user and key.'],
    ['swift://user:s3cret@host/a?auth=v3', "A swift URL needs a path in 'auth'"],
    ['swift:///a', 'A swift URL without a host needs OS_AUTH_URL'],
    ['mongodb://user:s3cret@h1,h2/a.b', 'database must match'],
    ['mongodb://user:s3cret@@h/d', 'url is not a MongoDB URL'],
    [
      'mongodb://h/d?readPreference=nearest',
      'A mongodb URL cannot take readPreference. Reads ask the primary',
    ],
    ['file:./a%', 'The path of a file URL contains a stray %.'],
    ['app:s3cret@host/db', 'A store URL must begin with a scheme'],
    ['mongodb+srv://h/d?durability=buffered', 'must be one of: flushed, replicated, memory.'],
    ['memcached://user:s3cret@', 'url must look like memcached://'],
    ['memcached://h?servers=2', "A memcached URL takes no parameter 'servers'"],
    ['cassandra://user:s3cret@h1,h2:9042', 'Name a keyspace'],
    ['cassandra://user:s3cret@h1:1,h2:2/k', 'url is not a valid URL'],
    ['cassandra://h/k?consistency=most', 'consistency must be a level of Cassandra'],
    ['cassandra://h/k?page=1', "A cassandra URL takes no parameter 'page'"],
    ['s3://key:s3cret@Bucket', 'bucket must be 3 to 63'],
    ['s3://key:s3cret@bucket/a/b', 'A s3 URL looks like s3://name'],
    ['s3://s3cret@bucket', 'A s3 URL needs both a key and its secret, or neither.'],
    ['s3://key:s3cret@bucket/a?dataset=b', 'A s3 URL and dataset name different datasets.'],
    [
      's3://key:s3cret@bucket?endpoint=http://u:s3cret@h',
      '`endpoint` of s3() must be an http: or https: URL without user',
    ],
    ['s3://bucket?acl=public', "A s3 URL takes no parameter 'acl'"],
    ['dynamodb://key:s3cret@a', 'table must be 3 to 255'],
    ['dynamodb://key:s3cret@table/more', 'must end with the table name'],
    ['dynamodb://table?durability=flushed', "A dynamodb URL takes no parameter 'durability'"],
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
  test('open speaks to Redis by node-redis', async () => {
    expect(await roundTrip(open(`${url}?driver=node-redis`))).toBe('Ada')
  })
})

describeWith('memcached', (url) => {
  test('open speaks to memcached', async () => expect(await roundTrip(open(url))).toBe('Ada'))
})

describeWith('hbase', (url) => {
  test('open speaks to HBase, and makes its table', async () => {
    const store = open(`${url.replace('http:', 'hbase:')}/unikv_open?durability=replicated`)
    expect(store.capabilities.durability).toBe('replicated')
    expect(await roundTrip(store)).toBe('Ada')
  })
})

describeWith('mongodb', (url) => {
  test('open speaks to MongoDB, and makes its collection', async () => {
    expect(await roundTrip(open(`${url}&dataset=open_url&durability=memory`))).toBe('Ada')
  })
})

describeWith('mariadb', (url) => {
  test('open speaks to MariaDB, by either scheme, and makes its table', async () => {
    expect(await roundTrip(open(`${url}?dataset=open_url`))).toBe('Ada')
    expect(await roundTrip(open(url.replace('mysql:', 'mariadb:'), { dataset: 'open_url' }))).toBe('Ada')
    expect(await roundTrip(open(`${url}?dataset=open_url&driver=mariadb`))).toBe('Ada')
  })
})

describeWith('postgres', (url) => {
  test('open speaks to PostgreSQL, by either scheme, and makes its table', async () => {
    expect(await roundTrip(open(`${url}?dataset=open_url&sslmode=disable`))).toBe('Ada')
    const other = url.replace('postgres:', 'postgresql:')
    expect(await roundTrip(open(other, { dataset: 'open_url' }))).toBe('Ada')
  })
})

describeWith('cassandra', (url) => {
  const keyspace = new URL(url)
  keyspace.pathname = '/unikv_open'
  test('open speaks to Cassandra, and makes keyspace and table', async () => {
    expect(await roundTrip(open(`${keyspace.href}&dataset=open_url`))).toBe('Ada')
    const conditional = open(`${keyspace.href}&dataset=open_conditions&conditions=true`)
    expect(conditional.capabilities.conditionalWrite).toBe(true)
    expect(await roundTrip(conditional)).toBe('Ada')
  })
})

describeWith('couchdb', (url) => {
  test('open speaks to CouchDB, and makes its database', async () => {
    const address = url.replace('http:', 'couchdb:')
    expect(await roundTrip(open(`${address}?dataset=open_url&durability=buffered`))).toBe('Ada')
    expect(await roundTrip(open(`${address}open_url`))).toBe('Ada')
  })
})

describeWith('swift', (url) => {
  const { host, username, password } = new URL(url)

  test('open speaks to Swift, by the URL or by the variables of its command line', async () => {
    expect(await roundTrip(open(`swift://${username}:${password}@${host}/open_url?dataset=by_url`))).toBe(
      'Ada',
    )
    vi.stubEnv('ST_AUTH', `http://${host}/auth/v1.0`)
    vi.stubEnv('ST_USER', decodeURIComponent(username))
    vi.stubEnv('ST_KEY', password)
    expect(await roundTrip(open('swift:///open_url', { dataset: 'by_variables' }))).toBe('Ada')
    vi.unstubAllEnvs()
  })
})

describeWith('s3', (url) => {
  const { origin, username, password } = new URL(url)
  const credentials = { accessKeyId: username, secretAccessKey: password }

  test('open speaks to S3, by the URL or by the variables of AWS', async () => {
    await prepareS3({ bucket: 'unikv-open', endpoint: origin, credentials })
    const place = `unikv-open/by_url?endpoint=${encodeURIComponent(origin)}`
    expect(await roundTrip(open(`s3://${username}:${password}@${place}`))).toBe('Ada')
    vi.stubEnv('AWS_ACCESS_KEY_ID', username)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', password)
    expect(await roundTrip(open(`s3://${place}`))).toBe('Ada')
    vi.unstubAllEnvs()
  })
})

describeWith('dynamodb', (url) => {
  const { origin, username, password } = new URL(url)

  test('open speaks to DynamoDB, by the URL or by the variables of AWS, and makes its table', async () => {
    const address = `endpoint=${encodeURIComponent(origin)}`
    expect(await roundTrip(open(`dynamodb://${username}:${password}@open_url?${address}`))).toBe('Ada')
    vi.stubEnv('AWS_ACCESS_KEY_ID', username)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', password)
    expect(await roundTrip(open(`dynamodb://?${address}`, { dataset: 'Open.Url-2' }))).toBe('Ada')
    vi.unstubAllEnvs()
  })
})

test.each([
  ['redis://127.0.0.1:6379/0', 'redis://127.0.0.1:6379/0'],
  ['redis://:s3cret@host', 'redis://host'],
  ['mysql://u:p%40ss@host/db?tls=true&password=s3cret', 'mysql://host/db?tls=true'],
  ['mysql://u:p@ss/w@host/db', 'mysql://host/db'],
  ['postgres://u:s3cret@host/db?sslmode=require&password=s3cret', 'postgres://host/db?sslmode=require'],
  ['redis+cluster://u:s3cret@a:1,b:2', 'redis+cluster://a:1,b:2'],
  ['memcached://u:s3cret@a:1,b:2', 'memcached://a:1,b:2'],
  [
    'cassandra://u:s3cret@a,b:1/k?conditions=true&consistency=one',
    'cassandra://a,b:1/k?conditions=true&consistency=one',
  ],
  ['redis://u:s3cret@h?replicas=1&db=2', 'redis://h?replicas=1&db=2'],
  ['mongodb://u:s3cret@h/d?replicaSet=rs0&appName=@s3cret@', 'mongodb://h/d?replicaSet=rs0'],
  ['redis://u:s3cret@h?driver=node-redis', 'redis://h?driver=node-redis'],
  ['hbase://u:s3cret@h:8080/t?dataset=d', 'hbase://h:8080/t?dataset=d'],
  ['mongodb+srv://u:s3cret@h/d?tls=true&tlsCertificateKeyFile=s3cret', 'mongodb+srv://h/d?tls=true'],
  ['mongodb://u:p%40ss@a:1,b:2/d', 'mongodb://a:1,b:2/d'],
  ['redis:u:s3cret@host', 'redis:host'],
  ['u:s3cret@host', 'u:host'],
  ['couchdb://u:s3cret@host:5984/db?tls=true', 'couchdb://host:5984/db?tls=true'],
  ['swift://test%3Atester:s3cret@host/c?auth=/x', 'swift://host/c'],
  ['s3://key:s3cret@bucket/p?region=eu-west-1&endpoint=http://u:s3cret@h', 's3://bucket/p?region=eu-west-1'],
  ['s3://bucket?endpoint=http%3A%2F%2Fu%3As3cret%40h', 's3://bucket'],
  [
    's3://bucket?endpoint=http%3A%2F%2F127.0.0.1%3A8333',
    's3://bucket?endpoint=http%3A%2F%2F127.0.0.1%3A8333',
  ],
  ['s3://bucket?region=%s3cret', 's3://bucket'],
  ['dynamodb://key:s3cret@table?region=eu-west-1&dataset=d', 'dynamodb://table?region=eu-west-1&dataset=d'],
  ['file:./user@home', 'file:./user@home'],
  ['sqlite:./user@home.db?threads=2', 'sqlite:./user@home.db?threads=2'],
  ['file:./d?dataset=x', 'file:./d?dataset=x'],
])('maskUrl(%s) shows %s', (url, masked) => expect(maskUrl(url)).toBe(masked))

test('maskUrl shows every parameter of our URLs but those that may hold a secret', async () => {
  const urls = [
    'file:./d',
    'lmdb:./d',
    'sqlite:./d',
    'redis://h',
    'mysql://h/d',
    'postgres://h/d',
    'mongodb://h/d',
  ]
  urls.push(
    'cassandra://h/k',
    'couchdb://h/d',
    'hbase://h',
    'memcached://h',
    'swift://h/c',
    's3://b',
    'dynamodb://t',
  )
  const hidden = new Set<string>()
  for (const url of urls) {
    const message = await Promise.resolve()
      .then(() => open(`${url}?nothing=1`))
      .then(String, ({ message: told }: Error) => told)
    const [, names = ''] = /it takes: (.*)\.$/.exec(message) ?? []
    expect(names, message).not.toBe('')
    for (const name of names.split(', '))
      if (!maskUrl(`${url}?${name}=1`).endsWith(`${name}=1`)) hidden.add(name)
  }
  expect([...hidden].toSorted()).toEqual(['auth', 'tlsCAFile', 'tlsCertificateKeyFile'])
})

test('a URL says whether group transactions lock what they read', async () => {
  const stores = ['true', 'false'].map((is) => open(`postgres://127.0.0.1:1/d?lockReads=${is}`))
  expect(stores.map(({ groups }) => groups?.control)).toEqual(['locks', 'optimistic'])
  await Promise.all(stores.map((store) => store.close()))
})
