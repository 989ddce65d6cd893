import { inspect } from 'node:util'
import { isStoreError, keyValue, type StoreError } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { type CouchdbOptions, couchdb, prepareCouchdb } from '../src/index.ts'
import { couchdbBench, freshDatabase } from './couchdb-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

describe('options', () => {
  const url = `http://user:${secret}@127.0.0.1:5984`
  test.each<[string, CouchdbOptions]>([
    ['what is no URL', { url: `127.0.0.1/${secret}` }],
    ['another scheme', { url: `redis://:${secret}@127.0.0.1` }],
    ['a parameter', { url: `${url}/db?include_docs=true` }],
    ['tls with http:', { url: `${url}/db?tls=true` }],
    ['tls that is neither on nor off', { url: 'couchdb://127.0.0.1/db?tls=yes' }],
    ['a broken escape', { url: 'http://user:%zz@127.0.0.1/db' }],
    ['an upper-case database', { url, database: 'Db' }],
    ['a database with a slash', { url, database: 'a/b' }],
    ['a system database', { url: `${url}/_users` }],
    ['two databases', { url: `${url}/one`, database: 'two' }],
    ['values of another kind', { url, values: 'raw' as never }],
    ['a durability that is none', { url, durability: 'always' as never }],
    ['an isolation that is none', { url, isolation: 'read-committed' as never }],
    ['no connections', { url, connectionLimit: 0 }],
    ['half a queue', { url, queueLimit: 0.5 }],
    ['no room for values', { url, maxValueBytes: Number.NaN }],
  ])('%s is INVALID_CONFIG, and the message tells nothing of the URL', (_, options) => {
    let thrown: unknown
    try {
      couchdb(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('capabilities follow the options, in types too', async () => {
    const plain = couchdb({ url })
    expect(plain.capabilities).toMatchObject({
      documents: false,
      durability: 'flushed',
      isolation: 'eventual',
    })
    expect(plain.capabilities.maxValueBytes).toBe(5_993_856)
    const other = couchdb({ url, values: 'document', durability: 'replicated', isolation: 'linearizable' })
    const documents: true = other.capabilities.documents
    const durability: 'replicated' = other.capabilities.durability
    const isolation: 'linearizable' = other.capabilities.isolation
    expect([documents, durability, isolation]).toEqual([true, 'replicated', 'linearizable'])
    expect(other.capabilities.maxValueBytes).toBe(7_991_808)
    // @ts-expect-error: a touch would need the value
    const touched = async (): Promise<unknown> => keyValue(plain).touch('key', { ttlMs: 1 })
    await expect(touched()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})

describeWith('couchdb', (url) => {
  const bench = couchdbBench(url)

  test('a missing database is NOT_PREPARED, and is not made unless asked for', async () => {
    const database = freshDatabase()
    const store = bench.store({ database })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'NOT_PREPARED',
      message: expect.stringContaining('prepareCouchdb') as string,
    })
    expect(await codeOf(keyValue(store).set('key', value))).toBe('NOT_PREPARED')
    await prepareCouchdb({ url, database })
    await keyValue(store).set('key', value)
    await bench.request('DELETE', database)
    expect(await codeOf(keyValue(store).get('key'))).toBe('NOT_PREPARED')
    expect(await codeOf(keyValue(store).set('key', value))).toBe('NOT_PREPARED')
    expect(await codeOf(keyValue(store).clear({ all: true }))).toBe('NOT_PREPARED')
  })

  test('eight processes may prepare one database at the same time', async () => {
    const database = freshDatabase()
    await Promise.all(Array.from({ length: 8 }, () => prepareCouchdb({ url, database })))
    await keyValue(bench.store({ database })).set('key', value)
    await bench.request('DELETE', database)
  })

  test('a database that is not ours is refused and left alone, prepare or not', async () => {
    const database = freshDatabase()
    await bench.request('PUT', database)
    await bench.request('PUT', `${database}/theirs`, { name: 'Ada' })
    for (const prepare of [false, true]) {
      const kv = keyValue(bench.store({ database, prepare }))
      expect(await codeOf(kv.set('key', value))).toBe('INVALID_CONFIG')
      expect(await codeOf(kv.clear({ all: true }))).toBe('INVALID_CONFIG')
    }
    expect(await bench.request('GET', database)).toMatchObject({ doc_count: 1 })
    await bench.request('DELETE', database)
  })

  test('a database of bytes is refused where documents are asked for, and the other way round', async () => {
    const bytes = await bench.database()
    const documents = await bench.database({ values: 'document' })
    expect(await codeOf(keyValue(bench.store({ database: bytes, values: 'document' })).get('key'))).toBe(
      'INVALID_CONFIG',
    )
    expect(await codeOf(keyValue(bench.store({ database: documents })).get('key'))).toBe('INVALID_CONFIG')
  })

  test('a wrong password is ACCESS_DENIED, and neither error nor store tells it', async () => {
    const wrong = new URL(url)
    wrong.password = secret
    const store = bench.store({ url: wrong, database: await bench.database() })
    const kv = keyValue(store)
    for (const work of [() => kv.get('key'), () => kv.set('key', value), () => kv.getMany(['a', 'b'])]) {
      const error = (await work().catch((thrown: unknown) => thrown)) as StoreError
      expect([error.code, error.retryable]).toEqual(['ACCESS_DENIED', false])
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    }
    expect(inspect([store, kv], { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('authorization takes the place of user and password, and its failure is ACCESS_DENIED', async () => {
    const { origin, username, password } = new URL(url)
    const database = await bench.database()
    let asked = 0
    const authorization = async () => {
      asked++
      return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    }
    const kv = keyValue(bench.store({ url: origin, database, authorization }))
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
    expect(asked).toBeGreaterThan(1)
    const failing = () => Promise.reject(new Error('no token'))
    expect(
      await codeOf(keyValue(bench.store({ url: origin, database, authorization: failing })).get('key')),
    ).toBe('ACCESS_DENIED')
  })

  test('a closed port is UNAVAILABLE with the address, and nothing was sent', async () => {
    const port = new URL(url)
    port.port = '1'
    port.password = secret
    const error = await keyValue(bench.store({ url: port }))
      .set('key', value)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('127.0.0.1:1 ') as string,
    })
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('a server without TLS is refused where TLS is asked for', async () => {
    const secure = url.replace('http:', 'couchdbs:')
    const error = await keyValue(bench.store({ url: secure, tls: { rejectUnauthorized: false } }))
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('nothing is connected before the first call, and nothing is left after close', async () => {
    const database = await bench.database()
    const store = bench.store({ database })
    const before = sockets()
    const kv = keyValue(store)
    await Promise.all(Array.from({ length: 20 }, (_, i) => kv.set(`key ${i}`, value)))
    await kv.close()
    await kv.close()
    await store.close()
    await new Promise((resolve) => setImmediate(resolve))
    expect(sockets()).toBeLessThanOrEqual(before)
    const closed = store.read([{ key: 'a' }], { deadlineAt: Number.POSITIVE_INFINITY })
    expect(await codeOf(Promise.resolve(closed))).toBe('CLOSED')
  })
})

/** Sockets that keep this process alive. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => /^TCP(Socket|Connect)Wrap$/.test(name)).length
}
