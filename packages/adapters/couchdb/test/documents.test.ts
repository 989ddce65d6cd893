import { type FindOptions, type Json, keyValue, newVersion, type Version } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { codeOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { documentId, keyOfDocument } from '../src/document-id.ts'
import { couchdb, prepareCouchdb } from '../src/index.ts'
import { couchdbBench } from './couchdb-bench.ts'

const value = Buffer.from('value')

describe('document ids', () => {
  test('are hexadecimal, and lead back to the key', () => {
    for (const key of ['a', '_design/x', '\u0000\u0003', 'é', '\u{1f600}', '../a?b#c'])
      expect(keyOfDocument(documentId(key))).toBe(key)
    expect(documentId('_é')).toBe('5fc3a9')
  })

  test.each(['', '_design/unikv', 'abc', 'AB', 'zz', 'ff', 'c328'])('%j names no key', (id) =>
    expect(keyOfDocument(id)).toBeUndefined(),
  )
})

describeWith('couchdb', (url) => {
  const bench = couchdbBench(url)

  test('a document tells key, version, expiry and value, and nano queries it', async () => {
    const database = await bench.database({ values: 'document' })
    const kv = keyValue(bench.store({ database, values: 'document' }))
    const { version } = await kv.set('ada', { name: 'Ada', born: 1815 })
    await kv.set('alan', { name: 'Alan', born: 1912 }, { ttlMs: 60_000 })
    interface Found {
      find(query: object): Promise<{ docs: readonly Record<string, unknown>[] }>
    }
    const native = await kv.native.database<Found>()
    const { docs } = await native.find({ selector: { 'value.born': { $lt: 1900 } } })
    const [ada] = docs
    expect(ada).toMatchObject({ _id: '616461', key: 'ada', version, value: { name: 'Ada', born: 1815 } })
    expect(ada).not.toHaveProperty('expires_at')
    expect(await bench.request('GET', `${database}/${documentId('alan')}`)).toHaveProperty('expires_at')
    const server = await kv.native.server<{ readonly use: (name: string) => unknown }>()
    expect(server.use).toBeTypeOf('function')
  })

  test('documents of others are neither listed nor cleared, and are CORRUPT where a key is read', async () => {
    const database = await bench.database()
    const kv = keyValue(bench.store({ database }))
    await kv.set('ours', value)
    await bench.request('PUT', `${database}/${documentId('theirs')}`, { name: 'no record' })
    await bench.request('PUT', `${database}/not-hexadecimal`, { version: newVersion(), value: 'dmFsdWU=' })
    const keys: string[] = []
    for await (const key of kv.keys()) keys.push(key)
    expect(keys).toEqual(['ours'])
    expect(await codeOf(kv.get('theirs'))).toBe('CORRUPT')
    expect(await codeOf(kv.getMany(['ours', 'theirs']))).toBe('PARTIAL')
    expect(await codeOf(kv.set('theirs', value, { ifVersion: null }))).toBe('CONDITION_FAILED')
    expect(await codeOf(kv.set('theirs', value, { ifVersion: newVersion() }))).toBe('CONDITION_FAILED')
    expect(await kv.clear({ all: true })).toBe(1)
    expect(await bench.request('GET', `${database}/not-hexadecimal`)).toHaveProperty('value')
  })

  test('of documents in conflict after a replication the winner is read, and is replaced alone', async () => {
    const database = await bench.database()
    const kv = keyValue(bench.store({ database }))
    await kv.set('key', Buffer.from('ours'))
    const path = `${database}/${documentId('key')}`
    const other = {
      _id: documentId('key'),
      version: newVersion(),
      value: Buffer.from('theirs').toString('base64'),
    }
    const branch = { ...other, _rev: `1-${'f'.repeat(32)}` }
    await bench.request('POST', `${database}/_bulk_docs`, { docs: [branch], new_edits: false })
    const winner = await bench.request('GET', path)
    expect(Buffer.from((await kv.get('key')) ?? []).toString()).toBe(
      winner['_rev'] === branch._rev ? 'theirs' : 'ours',
    )
    await kv.set('key', Buffer.from('new'))
    expect(Buffer.from((await kv.get('key')) ?? []).toString()).toBe('new')
    expect(await bench.request('GET', `${path}?conflicts=true`)).toHaveProperty('_conflicts')
  })

  test('a key that was deleted is made again, over its tombstone', async () => {
    const database = await bench.database()
    const kv = keyValue(bench.store({ database }))
    for (let n = 0; n < 3; n++) {
      const { version } = await kv.set('key', Buffer.from(String(n)), { ifVersion: null })
      expect(await codeOf(kv.set('key', value, { ifVersion: null }))).toBe('CONDITION_FAILED')
      await kv.delete('key', { ifVersion: version as Version })
    }
    expect(await kv.get('key')).toBeUndefined()
  })

  test('what another client changed meanwhile is found out, whatever was known', async () => {
    const database = await bench.database()
    const [one, two] = [keyValue(bench.store({ database })), keyValue(bench.store({ database }))]
    const { version } = await one.set('key', Buffer.from('1'))
    const second = await two.set('key', Buffer.from('2'), { ttlMs: 60_000 })
    expect(await codeOf(one.set('key', value, { ifVersion: version as Version }))).toBe('CONDITION_FAILED')
    await one.set('key', Buffer.from('3'), { ifVersion: second.version as Version, ttlMs: 'keep' })
    expect((await two.getEntry('key'))?.expiresAt).toBeTypeOf('number')
    await two.delete('key')
    await one.set('key', Buffer.from('4'))
    await two.set('key', Buffer.from('5'))
    await one.deleteMany(['key', 'absent'])
    expect(await two.get('key')).toBeUndefined()
  })

  test('a field of another name that a hand adds does not make a change of its own', async () => {
    const database = await bench.database()
    const kv = keyValue(bench.store({ database }))
    const { version } = await kv.set('key', value)
    const path = `${database}/${documentId('key')}`
    await bench.request('PUT', path, { ...(await bench.request('GET', path)), note: 'by hand' })
    const after = await kv.set('key', Buffer.from('next'), { ifVersion: version as Version })
    expect((await kv.getEntry('key'))?.version).toBe(after.version)
  })

  test('expired documents go when they are met, and not a fresh one', async () => {
    const database = await bench.database()
    const store = bench.store({ database })
    const call = callOptions()
    const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`)
    const expiresAt = Date.now() - 1_000
    await store.write(
      keys.map((key) => ({ type: 'set', key, value, version: newVersion(), expiresAt })),
      call,
    )
    const kv = keyValue(store)
    expect(await kv.getMany(keys)).toEqual(keys.map(() => undefined))
    await kv.set('key 0', value)
    await kv.close()
    expect(await bench.request('GET', database)).toMatchObject({ doc_count: 2 })
    expect(await keyValue(bench.store({ database })).get('key 0')).toEqual(value)
  })

  test('a document over the limit is refused before the wire, one of its length is taken', async () => {
    const database = await bench.database({ values: 'document' })
    const kv = keyValue(bench.store({ database, values: 'document', maxValueBytes: 100 }))
    const ofBytes = (n: number): Json => 'é'.repeat((n - 2) / 2)
    await kv.set('key', ofBytes(100))
    expect(await codeOf(kv.set('key', ofBytes(102)))).toBe('VALUE_TOO_LARGE')
    expect(await codeOf(kv.set('key', { when: new Date(0) } as never))).toBe('INVALID_VALUE')
    expect(await kv.get('key')).toBe(ofBytes(100))
    const largest = keyValue(bench.store({ database, values: 'document' }))
    await largest.set('key', 'x'.repeat(7_991_808 - 2), { timeoutMs: 20_000 })
    expect(await codeOf(largest.set('key', 'x'.repeat(7_991_808 - 1)))).toBe('VALUE_TOO_LARGE')
  })

  test('declared indexes are refused where they are missing, and made once by many; what is found may be more than a page', async () => {
    const database = await bench.database({ values: 'document' })
    const options = { url, database, values: 'document', indexes: [['group', 'n']] } as const
    expect(await codeOf(keyValue(bench.store(options)).get('a'))).toBe('NOT_PREPARED')
    await Promise.all([1, 2, 3].map(() => prepareCouchdb(options)))
    const { indexes } = await bench.request('GET', `${database}/_index`)
    expect(JSON.stringify(indexes)).toContain('[{"value.group":"asc"},{"value.n":"asc"}]')
    expect(() => couchdb({ ...options, indexes: [['a b']] })).toThrow(/cannot have an index over/)
    const kv = keyValue(bench.store(options))
    await kv.setMany(Array.from({ length: 700 }, (_, n) => [`${n}`, { group: n % 2, n }]))
    const keys = async (query: FindOptions) => (await kv.find(query)).items.map(([key]) => key)
    const where = { group: 0, n: { gte: 40 } }
    expect(await keys({ where, orderBy: [{ desc: 'n' }], limit: 2 })).toEqual(['698', '696'])
    expect(await keys({ where: { group: 1, n: { lt: 40 } }, orderBy: ['n'], limit: 2 })).toEqual(['1', '3'])
    expect(await keys({ where, limit: 3 })).toEqual(['100', '102', '104'])
    expect((await kv.aggregate({ where, of: 'n' })).count).toBe(330)
  })
})
