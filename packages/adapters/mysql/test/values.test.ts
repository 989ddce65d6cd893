import { hostileKeys } from '@unikv/conformance'
import { isStoreError, type Json, keyValue, newVersion } from '@unikv/core'
import { codeOf, resultsOf } from '@unikv/test-kit'
import { testValues } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { mysqlBench } from './mysql-bench.ts'

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  testValues(bench, {
    keys: [...new Set(hostileKeys)].filter((key) => Buffer.byteLength(key) <= 3_000),
    documents: ['"quoted" \\ \u0000 \u2028 é 😀'],
    refused: [],
  })

  test('a document that the server refuses does not spoil the batch it is in', async () => {
    const store = bench.store({ url, table: await bench.table({ values: 'document' }), values: 'document' })
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as Json
    const results = await resultsOf(
      keyValue(store).setMany([
        ['a', 1],
        ['b', deep],
        ['c', 3],
        ['d', Number.NaN],
      ]),
    )
    expect(results.map((result) => (isStoreError(result) ? result.code : 'written'))).toEqual([
      'written',
      'INVALID_VALUE',
      'written',
      'INVALID_VALUE',
    ])
    expect(await keyValue(store).getMany(['a', 'b', 'c', 'd'])).toEqual([1, undefined, 3, undefined])
  })

  test('batches that run at the same time keep their values apart', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table() }))
    const keysOf = (round: number) => Array.from({ length: 20 }, (_, i) => `${round % 10}/${i}`)
    const valueOf = (round: number, key: string) => Buffer.alloc(900 + round * 20, `${round}:${key};`)
    const write = (round: number) =>
      kv.setMany(keysOf(round).map((key) => [key, valueOf(round, key)] as const))
    await Promise.all(Array.from({ length: 30 }, (_, round) => write(round)))
    for (let round = 20; round < 30; round++) {
      const found = await kv.getMany(keysOf(round))
      const isRight = keysOf(round).map((key, i) => valueOf(round, key).equals(found[i] as Buffer))
      expect(isRight).toEqual(keysOf(round).map(() => true))
    }
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
