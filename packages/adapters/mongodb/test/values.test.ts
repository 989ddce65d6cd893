import { hostileKeys } from '@unikv/conformance'
import { isStoreError, type Json, keyValue, newVersion, type StoreError } from '@unikv/core'
import { callOptions, compareKeys } from '@unikv/core/adapter'
import { codeOf, mutate } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { mongodb, prepareMongodb } from '../src/index.ts'
import { mongodbBench } from './mongodb-bench.ts'

const limit = 16 * 1024 * 1024
/** Calls that move much, on a machine that may be slow. */
const patient = { timeoutMs: 60_000 }

describeWith('mongodb', (url) => {
  const bench = mongodbBench(url)

  async function documents() {
    const collection = await bench.collection({ values: 'document' })
    return { collection, kv: keyValue(bench.store({ url, collection, values: 'document' })) }
  }

  test('keys stay apart as they are, in the order of their bytes, surrogates and U+0000 too', async () => {
    const collection = await bench.collection()
    const kv = keyValue(bench.store({ url, collection }), [], patient)
    const keys = [...new Set(hostileKeys)].concat('\uffff', '\u{10000}', '\ue000', 'a\0', 'a', 'a\0\0', '\0')
    const unique = [...new Set(keys)]
    const written = await kv.setMany(unique.map((key, i) => [key, Buffer.from(`of ${i}`)]))
    expect(written.filter(isStoreError)).toEqual([])
    const values = await kv.getMany(unique)
    expect(values.map((one) => Buffer.from(one ?? []).toString())).toEqual(unique.map((_, i) => `of ${i}`))
    const listed: string[] = []
    for await (const key of kv.keys()) listed.push(key)
    expect(listed).toEqual(unique.toSorted(compareKeys))
    expect(unique.length).toBeGreaterThanOrEqual(1_000)
    const stored = await bench
      .records(collection)
      .find({ _id: { $type: 'string' } })
      .sort({ _id: 1 })
      .toArray()
    const canonical = stored.map(({ _id }) => _id)
    expect(canonical).toEqual(canonical.toSorted(compareKeys))
    expect(canonical.length).toBe(listed.length)
  })

  test('bytes that are the text of a number come back as those bytes, and others that look so too', async () => {
    const collection = await bench.collection()
    const kv = keyValue(bench.store({ url, collection }), [], patient)
    const texts = ['0', '-0', '00', '1', '-1', '+1', '1.0', '1e3', '9007199254740991', '-9007199254740991']
    texts.push('9007199254740992', '2147483647', '2147483648', '-2147483649', ' 1', '1\n', '', '-', '٣')
    await kv.setMany(texts.map((text, i) => [`t${i}`, Buffer.from(text)]))
    const found = await kv.getMany(texts.map((_, i) => `t${i}`))
    expect(found.map((bytes) => Buffer.from(bytes as Uint8Array).toString())).toEqual(texts)
    for (const text of texts) {
      await kv.set('one', Buffer.from(text))
      expect(Buffer.from((await kv.get('one')) as Uint8Array).toString()).toBe(text)
    }
  })

  test('the largest declared value fits with the longest key, in every kind of write, and one byte more does not', async () => {
    const store = bench.store({ url, collection: await bench.collection() })
    const { maxValueBytes, maxKeyBytes } = store.capabilities
    const kv = keyValue(store, [], patient)
    const key = 'k'.repeat(maxKeyBytes)
    const largest = Buffer.alloc(maxValueBytes, 7)
    const { version } = await kv.set(key, largest, { ifVersion: null })
    expect(largest.equals((await kv.get(key, { timeoutMs: 20_000 })) as Uint8Array)).toBe(true)
    const settings = { ttlMs: 60_000 }
    const next = await kv.set(key, largest, { ...settings, ifVersion: version })
    await kv.set(key, largest, { ttlMs: 'keep', ifVersion: next.version })
    expect(await codeOf(kv.set(key, Buffer.alloc(maxValueBytes + 1)))).toBe('VALUE_TOO_LARGE')
    const direct = await mutate(store, { type: 'set', key, value: Buffer.alloc(maxValueBytes + 1) })
    expect(direct).toMatchObject({ code: 'VALUE_TOO_LARGE' })
    expect(await kv.has(key)).toBe(true)
  })

  test('a document is measured as BSON, to the byte, before the wire', async () => {
    const { kv } = await documents()
    const room = kv.capabilities.maxValueBytes - 5 - (2 + 'text'.length) - 5 // of { text: '…' }
    await kv.set('key', { text: 'x'.repeat(room) }, { timeoutMs: 20_000 })
    expect(await codeOf(kv.set('key', { text: 'x'.repeat(room + 1) }))).toBe('VALUE_TOO_LARGE')
    expect(limit - kv.capabilities.maxValueBytes).toBe(2_048)
  })

  test('more than one answer holds comes in several, and every page tells where it stopped', async () => {
    const store = bench.store({ url, collection: await bench.collection() })
    const kv = keyValue(store, [], patient)
    const keys = ['a', 'b', 'c', 'd', 'e']
    const value = (i: number) => Buffer.alloc(6_000_000, i)
    const call = callOptions()
    const written = await store.write(
      keys.map((key, i) => ({ type: 'set', key, value: value(i), version: newVersion() })),
      call,
    )
    expect(written.filter(isStoreError)).toEqual([])
    const found = await store.read(
      [...keys, 'absent'].map((key) => ({ key })),
      call,
    )
    expect(
      found.slice(0, 5).every((one, i) => value(i).equals((one as unknown as { value: Uint8Array }).value)),
    ).toBe(true)
    expect(found[5]).toBeUndefined()
    const listed: string[] = []
    for await (const [key] of kv.entries({ timeoutMs: 30_000 })) listed.push(key)
    expect(listed).toEqual(keys)
  })

  test('documents come back as the JSON data that went in, operators and all', async () => {
    const { kv } = await documents()
    const values: Json[] = [
      null,
      0,
      -1.5e-7,
      1e300,
      2 ** 31,
      -(2 ** 31) - 1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      2 ** 60,
      true,
      '',
      '$$NOW',
      '$version',
      '"quoted" \\ \u0000 \u2028 é 😀',
      [],
      [[], [null, [1]]],
      {},
      { name: 'Ada', tags: ['a', 'b'], nested: { deep: { er: [1, 2, 3] } } },
      { $gt: '' },
      { $where: 'true', $expr: { $eq: [1, 1] }, $set: { version: 'x' } },
      { $literal: 1 },
      [{ $replaceWith: '$$ROOT' }],
      { 'a.b': { 'c.$d': 1 }, a: { b: 2 }, '': 3, $: 4, '.': 5 },
      { $ref: 'a.b', other: 1 },
      { $id: 1 },
      { _id: 7, version: 1, expiresAt: null, value: 2 },
      { $date: '2020-01-01', $oid: 'x', $numberLong: '1' },
      JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "toString": 2}') as Json,
      { 1: 'b', 0: 'a', length: 2 },
    ]
    await kv.setMany(values.map((value, i) => [`d${i}`, value]))
    expect(await kv.getMany(values.map((_, i) => `d${i}`))).toEqual(values)
    for (const [i, value] of values.entries()) {
      await kv.delete('one')
      const { version } = await kv.set('one', value, { ifVersion: null, ttlMs: 60_000 })
      expect(await kv.get('one'), `document ${i}, created`).toEqual(value)
      await kv.set('one', value, { ttlMs: 'keep' })
      expect(await kv.getEntry('one'), `document ${i}, kept`).toMatchObject({
        expiresAt: expect.any(Number) as number,
      })
      expect(await kv.get('one'), `document ${i}, kept`).toEqual(value)
      expect(await codeOf(kv.set('one', value, { ifVersion: version }))).toBe('CONDITION_FAILED')
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('what JSON or the driver would change is refused as INVALID_VALUE, and spoils no batch', async () => {
    const { kv } = await documents()
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as Json
    const hostile: unknown[] = [
      Number.NaN,
      -0,
      1n,
      new Date(),
      new Map(),
      [undefined],
      cyclic,
      '\ud800',
      { '\ud800': 1 },
      { _bsontype: 'ObjectId', id: 'x' },
      { _bsontype: 'Long', low: 1, high: 0 },
      { $ref: 'c', $id: 1 },
      { 'a\0b': 1 },
      deep(97),
      deep(10_000),
    ]
    for (const value of hostile) {
      expect(await codeOf(kv.set('key', value as Json))).toBe('INVALID_VALUE')
      expect(await codeOf(kv.set('key', { secret: [value] } as Json))).toBe('INVALID_VALUE')
    }
    expect(await kv.get('key')).toBeUndefined()
    await kv.set('deepest', deep(96))
    expect(await kv.get('deepest')).toEqual(deep(96))
    const written = kv.setMany([
      ['a', 1],
      ['b', { $ref: 'c', $id: 1 }],
      ['c', 3],
    ])
    const results = await written.catch(({ results }: StoreError) => results ?? [])
    expect(results.map((result) => isStoreError(result) && result.code)).toEqual([
      false,
      'INVALID_VALUE',
      false,
    ])
  })

  test('what the server refuses of a batch is told for its item, and the others are written', async () => {
    const { kv, collection } = await documents()
    await bench.db.command({ collMod: collection, validator: { value: { $ne: 'refused' } } })
    const written = kv.setMany([
      ['a', 'x'],
      ['b', 'refused'],
      ['c', 'y'],
    ])
    const results = await written.catch(({ results }: StoreError) => results ?? [])
    expect(results.map((result) => isStoreError(result) && result.code)).toEqual([
      false,
      'INVALID_VALUE',
      false,
    ])
    expect(await codeOf(kv.set('b', 'refused', { ifVersion: null }))).toBe('INVALID_VALUE')
    expect(await kv.getMany(['a', 'b', 'c'])).toEqual(['x', undefined, 'y'])
  })

  test('operator objects as keys and versions are refused or meet nothing', async () => {
    const store = bench.store({ url, collection: await bench.collection() })
    const kv = keyValue(store, [], patient)
    await kv.set('key', Buffer.from('value'))
    for (const operator of [{ $gt: '' }, { $ne: null }, ['key'], { $regex: '.*' }]) {
      const key = operator as unknown as string
      expect(await codeOf(kv.get(key))).toMatch(/INVALID_(KEY|ARGUMENT)/)
      expect(await codeOf(kv.delete(key))).toMatch(/INVALID_(KEY|ARGUMENT)/)
      expect(await codeOf(kv.delete('key', { ifVersion: key }))).toMatch(/INVALID_ARGUMENT|CONDITION_FAILED/)
      expect(await mutate(store, { type: 'touch', key: 'key', ifVersion: key, expiresAt: 1 })).toEqual({
        conditionFailed: true,
      })
      const [read] = await store.read([{ key: 'key', ifNotVersion: key }], callOptions())
      expect(read).toMatchObject({ value: Buffer.from('value') })
    }
    expect(await kv.has('key')).toBe(true)
  })

  test('a version that looks like an expression is none', async () => {
    const kv = keyValue(bench.store({ url, collection: await bench.collection() }))
    await kv.set('$_id', Buffer.from('value'))
    for (const version of ['$version', '$$ROOT.version', '$', '', '$$REMOVE', '$literal']) {
      expect(await kv.revalidate('$_id', version)).toMatchObject({ value: Buffer.from('value') })
    }
  })

  test("the database's own queries see into documents, and KeyValue sees what they did", async () => {
    const { kv, collection } = await documents()
    await kv.setMany([
      ['ada', { name: 'Ada', born: 1815 }],
      ['alan', { name: 'Alan', born: 1912 }],
    ])
    const records = bench.records(collection)
    expect(await records.distinct('_id', { 'value.born': { $gt: 1900 } })).toEqual(['alan'])
    const before = await kv.getEntry('ada')
    await records.updateOne({ _id: 'ada' }, { $set: { 'value.born': 1816, version: newVersion() } })
    expect(await kv.get('ada')).toEqual({ name: 'Ada', born: 1816 })
    expect(await codeOf(kv.set('ada', 1, { ifVersion: before?.version as string }))).toBe('CONDITION_FAILED')
  })

  test('foreign documents are not listed, and CORRUPT when they are read; foreign types are CORRUPT', async () => {
    for (const values of ['bytes', 'document'] as const) {
      const collection = await bench.collection({ values })
      const kv = keyValue(bench.store({ url, collection, values }))
      const raw = bench.db.collection<{ _id: string }>(collection)
      await raw.insertMany([
        { _id: 'foreign', value: 1 } as never,
        { _id: 'other type', version: 'x', value: new Date() } as never,
        { _id: 'no date', version: 'x', value: 1, expiresAt: 'tomorrow' } as never,
        { name: 'with an id of its own' } as never,
      ])
      await kv.set('ours', (values === 'bytes' ? Buffer.from('x') : 'x') as never)
      expect(await codeOf(kv.get('foreign'))).toBe('CORRUPT')
      expect(await codeOf(kv.get('other type'))).toBe('CORRUPT')
      expect(await codeOf(kv.get('no date'))).toBeUndefined() // it counts as expired
      const listed: string[] = []
      for await (const key of kv.keys()) listed.push(key)
      expect(listed).toEqual(['other type', 'ours'])
      await kv.clear({ all: true })
      expect(await raw.countDocuments()).toBe(4) // with the settings
    }
  })

  test('declared indexes are refused where they are missing, and made once by many; answers may be longer than one reply', async () => {
    const { collection, kv } = await documents()
    const indexes = [['tenant', 'at'], ['tenant']]
    const options = { url, collection, values: 'document', indexes } as const
    expect(await codeOf(keyValue(bench.store(options)).get('a'))).toBe('NOT_PREPARED')
    await Promise.all([1, 2, 3].map(() => prepareMongodb(options)))
    const made = await bench.records(collection).indexes()
    expect(made.map(({ key }) => key)).toContainEqual({ 'value.tenant': 1, 'value.at': 1, _id: 1 })
    expect(made).toHaveLength(4)
    for (const path of ['a\\.b', '$a'])
      expect(() => mongodb({ ...options, indexes: [[path]] })).toThrow(/cannot have an index over/)
    const text = 'x'.repeat(6_000_000)
    for (const at of [3, 1, 4, 2, 5]) await kv.set(`at ${at}`, { tenant: 'acme', at, text }, patient)
    const finder = keyValue(bench.store(options))
    const where = { tenant: 'acme', at: { gt: 1 } }
    for (const orderBy of [['at'], [{ desc: 'at' }]]) {
      const { items } = await finder.find({ where, orderBy, limit: 4, ...patient })
      const found = items.map(([, { value }]) => (value as { readonly at: number }).at)
      expect(found).toEqual(orderBy[0] === 'at' ? [2, 3, 4, 5] : [5, 4, 3, 2])
    }
  })
})
