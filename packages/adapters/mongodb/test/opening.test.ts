import { inspect } from 'node:util'
import { isStoreError, keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { MongoClient } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { type MongodbOptions, mongodb, prepareMongodb } from '../src/index.ts'
import { freshName, mongodbBench, onceOnly } from './mongodb-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

describe('options', () => {
  const url = `mongodb://root:${secret}@127.0.0.1/database`
  const client = new MongoClient(url, onceOnly) // never connected
  test.each<[string, MongodbOptions]>([
    ['neither url nor client', {}],
    ['both url and client', { url, client }],
    ['what is no URL', { url: `127.0.0.1/${secret}` }],
    ['another scheme', { url: `redis://:${secret}@127.0.0.1/0` }],
    ['a password with an @ of its own', { url: `mongodb://root:p@${secret}@127.0.0.1:1@2/database` }],
    ['a write concern in the URL', { url: `${url}?w=1` }],
    ['a read concern in the URL', { url: `${url}?readConcernLevel=local` }],
    ['retryable writes in the URL', { url: `${url}?retryWrites=true` }],
    ['retryable reads in the URL', { url: `${url}?retryReads=true` }],
    ['a broken escape', { url: 'mongodb://root:%zz@127.0.0.1/database' }],
    ['a database with a dot', { url, database: 'a.b' }],
    ['a database with a dollar', { url: 'mongodb://127.0.0.1/$cmd' }],
    ['an upper-case collection', { url, collection: 'Collection' }],
    ['a collection of the system', { url, collection: 'system.users' }],
    ['a collection of 49 characters', { url, collection: 'a'.repeat(49) }],
    ['an empty collection', { url, collection: '' }],
    ['values of another kind', { url, values: 'raw' as never }],
    ['a durability that is none', { url, durability: 'buffered' as never }],
    ['no connections', { url, maxConnections: 0 }],
    ['half a connection', { url, maxConnections: 0.5 }],
    ['no queue', { url, queueLimit: -1 }],
    ['no room for values', { url, maxValueBytes: Number.NaN }],
    ['more than a record holds', { url, maxValueBytes: 16 * 1024 * 1024 }],
    ['a number of connections beside a client', { client, maxConnections: 5 }],
    ['what is no client', { client: {} as never }],
    ['a client that sends writes again', { client: new MongoClient(url, { retryReads: false }) }],
    ['a client that sends reads again', { client: new MongoClient(url, { retryWrites: false }) }],
  ])('%s is INVALID_CONFIG, and the message tells nothing of the URL', (_, options) => {
    let thrown: unknown
    try {
      mongodb(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

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

  test('a server that is not there is UNAVAILABLE, names the address and not the secret', async () => {
    const store = mongodb({ url: `mongodb://root:${secret}@127.0.0.1:1/?directConnection=true` })
    const error = await keyValue(store)
      .set('key', value)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:1 cannot be reached (ECONNREFUSED)') as string,
    })
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    await store.close()
  })
})

describeWith('mongodb', (url) => {
  const bench = mongodbBench(url)

  test('a missing collection is NOT_PREPARED, and is not made unless asked for', async () => {
    const collection = bench.unprepared()
    const store = bench.store({ url, collection })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'NOT_PREPARED',
      message: expect.stringContaining('prepareMongodb') as string,
    })
    expect(await bench.db.listCollections({ name: collection }).toArray()).toEqual([])
    await prepareMongodb({ url, collection })
    expect(await codeOf(keyValue(store).get('key'))).toBeUndefined()
  })

  test('eight processes may prepare one collection at the same time', async () => {
    const collection = bench.unprepared()
    const client = bench.client()
    await Promise.all(
      Array.from({ length: 8 }, () => prepareMongodb({ client, database: 'unikv', collection })),
    )
    await keyValue(bench.store({ url, collection })).set('key', value)
    expect(await bench.records(collection).countDocuments()).toBe(2) // with the settings
  })

  test('a collection that is not ours is refused and left alone, prepare or not', async () => {
    const collection = bench.unprepared()
    await bench.db.collection(collection).insertOne({ version: 'x', value: 1 })
    for (const prepare of [false, true]) {
      const kv = keyValue(bench.store({ url, collection, prepare }))
      expect(await codeOf(kv.set('key', value))).toBe('INVALID_CONFIG')
      expect(await codeOf(kv.clear({ all: true }))).toBe('INVALID_CONFIG')
    }
    expect(await bench.db.collection(collection).countDocuments()).toBe(1)
    expect(await bench.db.collection(collection).indexes()).toHaveLength(1)
  })

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
