import { opening, plantedSecret as secret } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { type CouchdbOptions, couchdb, prepareCouchdb } from '../src/index.ts'
import { couchdbBench, freshDatabase } from './couchdb-bench.ts'

const value = Buffer.from('value')
const url = `http://user:${secret}@127.0.0.1:5984`

const refused: readonly (readonly [string, CouchdbOptions])[] = [
  ['text that is not a URL', { url: `127.0.0.1/${secret}` }],
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
  ['no connections', { url, maxConnections: 0 }],
  ['half a queue', { url, queueLimit: 0.5 }],
  ['no room for values', { url, maxValueBytes: Number.NaN }],
]

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

describeWith('couchdb', (url) => {
  const bench = couchdbBench(url)
  const drop = (database: string | undefined) => bench.request('DELETE', String(database))

  opening<CouchdbOptions>({
    test,
    describe,
    make: (options) => couchdb(options),
    refused,
    fresh: async () => ({ url, database: await bench.database() }),
    server: {
      address: new URL(url).host,
      asksPassword: true,
      at: (address, password) => {
        const to = new URL(url)
        to.host = address
        if (password !== undefined) to.password = password
        return { url: to, database: 'unikv_opening', prepare: true }
      },
      withTls: () => ({ url: url.replace('http:', 'couchdbs:'), tls: { rejectUnauthorized: false } }),
    },
    preparing: {
      prepare: prepareCouchdb,
      missing: () => ({ url, database: freshDatabase() }),
      onCall: (options) => ({ ...options, prepare: true }),
      remove: ({ database }) => drop(database),
    },
    discard: ({ database }) => drop(database),
    foreign: [
      ['a database of others', databaseOfOthers],
      [
        'a database of documents',
        async () => ({ options: { url, database: await bench.database({ values: 'document' }) } }),
      ],
    ],
    module: {
      url: new URL('../dist/index.js', import.meta.url),
      make: 'couchdb',
      prepare: 'prepareCouchdb',
    },
  })

  async function databaseOfOthers() {
    const database = freshDatabase()
    await bench.request('PUT', database)
    await bench.request('PUT', `${database}/theirs`, { name: 'Ada' })
    return {
      options: { url, database },
      intact: async () => {
        expect(await bench.request('GET', database)).toMatchObject({ doc_count: 1 })
        await drop(database)
      },
    }
  }

  test('a database of bytes is refused where documents are asked for', async () => {
    const store = bench.store({ database: await bench.database(), values: 'document' })
    expect(await codeOf(keyValue(store).get('key'))).toBe('INVALID_CONFIG')
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
})
