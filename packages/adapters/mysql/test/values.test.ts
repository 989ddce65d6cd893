import { hostileKeys } from '@unikv/conformance'
import { type Json, keyValue, newVersion } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { codeOf, mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)

  test('keys that collations merge stay apart, each with its own value', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table() }))
    const keys = [...new Set(hostileKeys)].filter((key) => Buffer.byteLength(key) <= 3_000)
    const written = await kv.setMany(keys.map((key, i) => [key, Buffer.from(String(i))]))
    expect(written.filter((result) => 'code' in result)).toEqual([])
    const values = await kv.getMany(keys)
    expect(values.map((value) => Buffer.from(value as Uint8Array).toString())).toEqual(
      keys.map((_, i) => String(i)),
    )
    expect(keys.length).toBeGreaterThanOrEqual(600)
  })

  test('batches of every size up to 40 write every row and read every row', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table() }))
    for (let size = 1; size <= 40; size++) {
      const entries = Array.from(
        { length: size },
        (_, i) => [`${size}/${i}`, Buffer.from(`${size}.${i}`)] as const,
      )
      await kv.setMany(entries)
      const values = await kv.getMany(entries.map(([key]) => key))
      expect(values).toEqual(entries.map(([, value]) => value))
      const deleted = await kv.deleteMany(entries.filter((_, i) => i % 2 === 0).map(([key]) => key))
      expect(deleted.length).toBe(Math.ceil(size / 2))
      expect(await kv.count({ prefix: `${size}/` })).toBe(Math.floor(size / 2))
    }
  })

  test('the largest value that the capabilities name fits into a packet of 16 MiB', async () => {
    const store = bench.store({ url, table: await bench.table() })
    const kv = keyValue(store)
    const longestKey = 'k'.repeat(store.capabilities.maxKeyBytes)
    const value = Buffer.alloc(store.capabilities.maxValueBytes, 7)
    await kv.set(longestKey, value)
    expect(Buffer.compare((await kv.get(longestKey)) as Uint8Array, value)).toBe(0)
    expect(await codeOf(kv.set('key', Buffer.alloc(value.length + 1)))).toBe('VALUE_TOO_LARGE')
  })

  test('documents come back as the JSON data that went in', async () => {
    const kv = keyValue(
      bench.store({ url, table: await bench.table({ values: 'document' }), values: 'document' }),
    )
    const documents: Json[] = [
      null,
      0,
      -1.5e-7,
      1e300,
      Number.MAX_SAFE_INTEGER,
      true,
      '',
      'null',
      '"quoted" \\ \u0000 \u2028 é 😀',
      [],
      [[], [null, [1]]],
      {},
      { name: 'Ada', tags: ['a', 'b'], nested: { deep: { er: [1, 2, 3] } } },
      JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "": 2}') as Json,
    ]
    await kv.setMany(documents.map((value, i) => [`d${i}`, value]))
    expect(await kv.getMany(documents.map((_, i) => `d${i}`))).toEqual(documents)
    for (const [i, value] of documents.entries()) {
      await kv.set('one', value)
      expect(await kv.get('one'), `document ${i}`).toEqual(value)
    }
  })

  test('what JSON would change is refused as INVALID_VALUE, without a word of it', async () => {
    const kv = keyValue(
      bench.store({ url, table: await bench.table({ values: 'document' }), values: 'document' }),
    )
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    const sparse = [1]
    sparse[2] = 3
    const hostile: unknown[] = [
      Number.NaN,
      -0,
      1n,
      new Date(),
      new Map(),
      [undefined],
      sparse,
      cyclic,
      { toJSON: () => 1 },
      '\ud800',
      { '\ud800': 1 },
    ]
    for (const value of hostile) {
      expect(await codeOf(kv.set('key', value as Json))).toBe('INVALID_VALUE')
      expect(await codeOf(kv.set('key', { secret: value } as Json))).toBe('INVALID_VALUE')
    }
    expect(await kv.get('key')).toBeUndefined()
  })

  test('a document that the server refuses does not spoil the batch it is in', async () => {
    const store = bench.store({ url, table: await bench.table({ values: 'document' }), values: 'document' })
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as Json
    const results = await keyValue(store).setMany([
      ['a', 1],
      ['b', deep],
      ['c', 3],
      ['d', Number.NaN],
    ])
    expect(results.map((result) => ('code' in result ? result.code : 'written'))).toEqual([
      'written',
      'INVALID_VALUE',
      'written',
      'INVALID_VALUE',
    ])
    expect(await keyValue(store).getMany(['a', 'b', 'c', 'd'])).toEqual([1, undefined, 3, undefined])
  })

  test("the database's own queries see into documents, and KeyValue sees what they did", async () => {
    const table = await bench.table({ values: 'document' })
    const kv = keyValue(bench.store({ url, table, values: 'document' }))
    await kv.setMany([
      ['ada', { name: 'Ada', born: 1815 }],
      ['alan', { name: 'Alan', born: 1912 }],
      ['edsger', { name: 'Edsger', born: 1930 }],
    ])
    const [rows] = await kv.native.execute<{ k: string; name: string }[]>(
      `SELECT CONVERT(k USING utf8mb4) AS k, JSON_VALUE(value, '$.name') AS name FROM ${table}
       WHERE JSON_VALUE(value, '$.born') > ? ORDER BY k`,
      [1900],
    )
    expect(rows).toEqual([
      { k: 'alan', name: 'Alan' },
      { k: 'edsger', name: 'Edsger' },
    ])
    const before = await kv.getEntry('ada')
    const change = `UPDATE ${table} SET value = JSON_SET(value, '$.born', 1816), version = UNHEX(?) WHERE k = ?`
    await kv.native.execute(change, [newVersion(), 'ada'])
    expect(await kv.get('ada')).toEqual({ name: 'Ada', born: 1816 })
    expect(await codeOf(kv.set('ada', 1, { ifVersion: before?.version as string }))).toBe('CONDITION_FAILED')
  })

  test('a connection in another character set changes no document', async () => {
    const table = await bench.table({ values: 'document' })
    const pool = bench.pool({ charset: 'latin1' })
    const kv = keyValue(bench.store({ pool, table, values: 'document' }))
    const value = { text: 'é 日本 😀' }
    await kv.set('日本', value)
    expect(await kv.get('日本')).toEqual(value)
    expect(await keyValue(bench.store({ url, table, values: 'document' })).get('日本')).toEqual(value)
  })
})
