import { inspect } from 'node:util'
import { opening, plantedSecret as secret } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { MongoClient } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { type MongodbOptions, mongodb, prepareMongodb } from '../src/index.ts'
import { freshName, mongodbBench, onceOnly } from './mongodb-bench.ts'

const value = Buffer.from('value')

const good = `mongodb://root:${secret}@127.0.0.1/database`
const unused = new MongoClient(good, onceOnly) // never connected
const refused: readonly (readonly [string, object])[] = [
  ['neither url nor client', {}],
  ['both url and client', { url: good, client: unused }],
  ['text that is not a URL', { url: `127.0.0.1/${secret}` }],
  ['another scheme', { url: `redis://:${secret}@127.0.0.1/0` }],
  ['a password with an @ of its own', { url: `mongodb://root:p@${secret}@127.0.0.1:1@2/database` }],
  ['a write concern in the URL', { url: `${good}?w=1` }],
  ['a read concern in the URL', { url: `${good}?readConcernLevel=local` }],
  ['retryable writes in the URL', { url: `${good}?retryWrites=true` }],
  ['retryable reads in the URL', { url: `${good}?retryReads=true` }],
  ['a broken escape', { url: 'mongodb://root:%zz@127.0.0.1/database' }],
  ['a database with a dot', { url: good, database: 'a.b' }],
  ['a database with a dollar', { url: 'mongodb://127.0.0.1/$cmd' }],
  ['an upper-case collection', { url: good, collection: 'Collection' }],
  ['a collection of the system', { url: good, collection: 'system.users' }],
  ['a collection of 49 characters', { url: good, collection: 'a'.repeat(49) }],
  ['an empty collection', { url: good, collection: '' }],
  ['values of another kind', { url: good, values: 'raw' as never }],
  ['a durability that is none', { url: good, durability: 'buffered' as never }],
  ['no connections', { url: good, maxConnections: 0 }],
  ['half a connection', { url: good, maxConnections: 0.5 }],
  ['no queue', { url: good, queueLimit: -1 }],
  ['no room for values', { url: good, maxValueBytes: Number.NaN }],
  ['more than a record holds', { url: good, maxValueBytes: 16 * 1024 * 1024 }],
  ['a number of connections beside a client', { client: unused, maxConnections: 5 }],
  ['an object that is not a client', { client: {} as never }],
  ['a client that sends writes again', { client: new MongoClient(good, { retryReads: false }) }],
  ['a client that sends reads again', { client: new MongoClient(good, { retryWrites: false }) }],
]

describe('options', () => {
  const url = good

  test('a client that retries is told the reason', () => {
    expect(() => mongodb({ client: new MongoClient(url) })).toThrow(/retryWrites: false.*outcomes uncertain/)
  })

  test('several hosts, SRV records and retryWrites=false are taken', () => {
    for (const good of [
      'mongodb://a:1,b:2,c/db?replicaSet=rs&retryWrites=false',
      'mongodb+srv://u:p%40ss@cluster.example.org/?appName=x',
      'mongodb://[::1]:27017',
    ])
      expect(mongodb({ url: good }).name).toBe('mongodb')
  })

  test('capabilities follow the options', () => {
    const plain = mongodb({ url })
    expect(plain.capabilities).toMatchObject({
      documents: false,
      durability: 'flushed',
      maxValueBytes: 16_775_168,
    })
    const other = mongodb({ url, values: 'document', durability: 'memory', maxValueBytes: 1_000 })
    const documents: true = other.capabilities.documents
    const durability: 'memory' = other.capabilities.durability
    expect([documents, durability, other.capabilities.maxValueBytes]).toEqual([true, 'memory', 1_000])
  })

  test('what the driver alone finds wrong with a URL is INVALID_CONFIG at the first call, without the secret', async () => {
    const store = mongodb({ url: `mongodb://root:${secret}@127.0.0.1/?tls=true&ssl=false` })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'INVALID_CONFIG' })
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    await store.close()
  })
})

describeWith('mongodb', (url) => {
  const bench = mongodbBench(url)

  const at = (address: string, password?: string): string => {
    const changed = new URL(url)
    changed.host = address
    if (password !== undefined) Object.assign(changed, { username: 'root', password })
    return String(changed)
  }

  opening<MongodbOptions>({
    test,
    describe,
    make: (options) => mongodb(options),
    refused,
    fresh: async () => ({ url, collection: await bench.collection() }),
    server: {
      address: new URL(url).host,
      at: (address, password) => ({ url: at(address, password), collection: shared, prepare: true }),
    },
    preparing: {
      prepare: prepareMongodb,
      missing: () => ({ url, collection: bench.unprepared() }),
      onCall: (options) => ({ ...options, prepare: true }),
    },
    foreign: [
      [
        'a collection of others',
        async () => {
          const collection = bench.unprepared()
          await bench.db.collection(collection).insertOne({ version: 'x', value: 1 })
          const intact = async () => {
            expect(await bench.db.collection(collection).countDocuments()).toBe(1)
            expect(await bench.db.collection(collection).indexes()).toHaveLength(1)
          }
          return { options: { url, collection }, intact }
        },
      ],
      ...(['bytes', 'document'] as const).map(
        (values) =>
          [
            `a collection of ${values}`,
            async () => {
              const collection = await bench.collection({ values })
              return {
                options: { url, collection, values: values === 'bytes' ? 'document' : 'bytes' } as const,
              }
            },
          ] as const,
      ),
    ],
    module: {
      url: new URL('../dist/index.js', import.meta.url),
      make: 'mongodb',
      prepare: 'prepareMongodb',
      drivers: ['mongodb'],
    },
    client: async () => {
      const client = new MongoClient(url, onceOnly)
      return {
        client,
        options: { client, database: 'unikv', collection: await bench.collection() },
        works: () => client.db('unikv').command({ ping: 1 }),
        close: () => client.close(),
      }
    },
  })
  const shared = bench.unprepared()

  test('a collection with a collation is refused: it would merge keys', async () => {
    const collection = bench.unprepared()
    await bench.db.createCollection(collection, { collation: { locale: 'en', strength: 1 } })
    const kv = keyValue(bench.store({ url, collection, prepare: true }))
    expect(await codeOf(kv.get('key'))).toBe('INVALID_CONFIG')
  })

  test('a collection of bytes is refused where documents are asked for, and the other way round', async () => {
    for (const values of ['bytes', 'document'] as const) {
      const collection = await bench.collection({ values })
      const other = values === 'bytes' ? 'document' : 'bytes'
      for (const prepare of [false, true])
        expect(
          await codeOf(keyValue(bench.store({ url, collection, values: other, prepare })).get('key')),
        ).toBe('INVALID_CONFIG')
    }
  })

  test('a lost index is NOT_PREPARED, and prepare makes it again', async () => {
    const collection = await bench.collection()
    await bench.db.collection(collection).dropIndex('unikv_expiry')
    expect(await codeOf(keyValue(bench.store({ url, collection })).get('key'))).toBe('NOT_PREPARED')
    await keyValue(bench.store({ url, collection, prepare: true })).set('key', value)
    expect(await codeOf(keyValue(bench.store({ url, collection })).get('key'))).toBeUndefined()
  })

  test('durability replicated is refused by a set of one member', async () => {
    const collection = await bench.collection()
    const kv = keyValue(bench.store({ url, collection, durability: 'replicated' }))
    expect(await codeOf(kv.get('key'))).toBe('INVALID_CONFIG')
  })

  test('a client that was handed in is used and stays open, whatever its settings are', async () => {
    const client = bench.client({
      ...onceOnly,
      promoteValues: false,
      promoteBuffers: false,
      readPreference: 'nearest',
      readConcernLevel: 'local',
      writeConcern: { w: 0 },
      raw: true,
    })
    const collection = await bench.collection()
    const store = bench.store({ client, database: 'unikv', collection })
    expect(store.native).toBe(client)
    const kv = keyValue(store)
    const { version } = await kv.set('key', value, { ttlMs: 60_000 })
    expect(await kv.getEntry('key')).toMatchObject({ value, version })
    expect(await kv.increment('n', 2)).toBe(2)
    await store.close()
    await store.close()
    expect(await codeOf(kv.get('key'))).toBe('CLOSED')
    expect(await client.db('unikv').command({ ping: 1 }, { raw: false })).toMatchObject({ ok: 1 })
  })

  test('native is the client of the driver and its collection', async () => {
    const collection = await bench.collection({ values: 'document' })
    const store = bench.store({ url, collection, values: 'document' })
    await keyValue(store).set('ada', { born: 1815 })
    const records = await store.native.collection()
    expect(await records.findOne({ 'value.born': { $lt: 1900 } })).toMatchObject({ _id: 'ada' })
    expect((await store.native.client()).options.retryWrites).toBe(false)
  })

  test('a URL names the database, and the option wins over it', async () => {
    const collection = freshName()
    const other = url.replace('/?', '/unikv_other?')
    await prepareMongodb({ url: other, collection })
    const client = bench.client()
    expect(await client.db('unikv_other').listCollections({ name: collection }).toArray()).toHaveLength(1)
    expect(await codeOf(keyValue(bench.store({ url: other, database: 'unikv', collection })).get('k'))).toBe(
      'NOT_PREPARED',
    )
    await client.db('unikv_other').dropDatabase()
  })
})
