import { hostileKeys } from '@unikv/conformance'
import { isStoreError, type Json, keyValue, newVersion } from '@unikv/core'
import { codeOf, resultsOf } from '@unikv/test-kit'
import { testValues } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { postgresBench } from './postgres-bench.ts'

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  testValues(bench, {
    keys: [...new Set(hostileKeys)].filter((key) => Buffer.byteLength(key) <= 2_000),
    documents: ['"quoted" \\ \\u0000 \u0001 \u2028 é 😀', Number.MIN_VALUE, Number.MAX_VALUE, 0.1 + 0.2],
    refused: ['\u0000', 'a\\\\\u0000', { '\u0000': 1 }],
  })

  test('a document that the server refuses does not spoil the batch it is in', async () => {
    const table = await bench.table({ values: 'document' })
    await bench.sql.query(
      `ALTER TABLE ${table} ADD CONSTRAINT shallow CHECK (jsonb_typeof(value) <> 'array' OR (value->>0)::jsonb IS NOT NULL)`,
    )
    const results = await resultsOf(
      keyValue(bench.store({ url, table, values: 'document' })).setMany([
        ['a', 1],
        ['b', ['no JSON']],
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
    expect(
      await keyValue(bench.store({ url, table, values: 'document' })).getMany(['a', 'b', 'c', 'd']),
    ).toEqual([1, undefined, 3, undefined])
  })

  test('a document that nests deeper than the server reads is refused, and the connection goes on', async () => {
    const kv = keyValue(
      bench.store({ url, table: await bench.table({ values: 'document' }), values: 'document' }),
    )
    const nested = (depth: number): Json => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as Json
    await kv.set('deep', nested(1_000))
    expect(await kv.get('deep')).toEqual(nested(1_000))
    expect(await codeOf(kv.set('deeper', nested(100_000)))).toBe('INVALID_VALUE')
    expect(await kv.get('deeper')).toBeUndefined()
    expect(await codeOf(kv.find({ where: { name: 'a\u0000' } }))).toBe('INVALID_ARGUMENT')
  })

  test("the database's own queries see into documents, and KeyValue sees what they did", async () => {
    const table = await bench.table({ values: 'document' })
    const kv = keyValue(bench.store({ url, table, values: 'document' }))
    await kv.setMany([
      ['ada', { name: 'Ada', born: 1815 }],
      ['alan', { name: 'Alan', born: 1912 }],
      ['edsger', { name: 'Edsger', born: 1930 }],
    ])
    const { rows } = await kv.native.query<{ k: string; name: string }>(
      `SELECT convert_from(k, 'UTF8') AS k, value->>'name' AS name FROM ${table}
       WHERE (value->>'born')::int > $1 ORDER BY k`,
      [1900],
    )
    expect(rows).toEqual([
      { k: 'alan', name: 'Alan' },
      { k: 'edsger', name: 'Edsger' },
    ])
    const before = await kv.getEntry('ada')
    const change = `UPDATE ${table} SET value = jsonb_set(value, '{born}', '1816'), version = decode($1, 'hex') WHERE k = $2`
    await kv.native.query(change, [newVersion(), 'ada'])
    expect(await kv.get('ada')).toEqual({ name: 'Ada', born: 1816 })
    expect(await codeOf(kv.set('ada', 1, { ifVersion: before?.version as string }))).toBe('CONDITION_FAILED')
  })

  test('neither the types of pg nor the settings of a session change what is read', async () => {
    const table = await bench.table()
    const pool = bench.pool({ options: '-c bytea_output=escape -c extra_float_digits=-15', max: 1 })
    pool.on('connect', (client) => {
      for (const type of [17, 20, 25]) client.setTypeParser(type, () => 'parsed otherwise')
    })
    const kv = keyValue(bench.store({ pool, table }))
    const body = Buffer.from([0, 1, 92, 255, 39])
    const { version } = await kv.set('\\x00é', body, { ttlMs: 60_000 })
    const entry = await kv.getEntry('\\x00é')
    expect(entry).toMatchObject({ value: body, version, expiresAt: expect.any(Number) as number })
    expect(await kv.getMany(['\\x00é', 'absent'])).toEqual([body, undefined])
    for await (const key of kv.keys()) expect(key).toBe('\\x00é')
    expect(await kv.count()).toBe(1)
  })

  test('statements of the application have their rows between those of the store, whatever is read at once', async () => {
    const options = { url, table: await bench.table(), maxConnections: 2 }
    const kv = keyValue(bench.store(options), [], { coalesce: false })
    const values = Array.from({ length: 8 }, (_, i) => Buffer.alloc(20_000 * i, `${i}`))
    await kv.setMany(values.map((value, i) => [`${i}`, value]))
    const wide = "SELECT i, repeat('é', 30000) AS text, NULL AS nothing FROM generate_series(1, 3) AS i"
    const rowsOf = JSON.stringify([1, 2, 3].map((i) => ({ i, text: 'é'.repeat(30_000), nothing: null })))
    const rounds = Array.from({ length: 40 }, async (_, i) => {
      const expected = values[i % 7] as Buffer
      const one = await kv.get(`${i % 7}`)
      const { rows } = await kv.native.query(wide)
      const [first, absent, last] = await kv.getMany([`${i % 7}`, 'absent', '7'])
      return [
        expected.equals(one as Buffer),
        JSON.stringify(rows) === rowsOf,
        expected.equals(first as Buffer) && absent === undefined,
        values[7]?.equals(last as Buffer),
      ]
    })
    expect(new Set((await Promise.all(rounds)).flat())).toEqual(new Set([true]))
  })

  test('a row that was put in by hand under a key that is no text is not listed', async () => {
    const table = await bench.table()
    const kv = keyValue(bench.store({ url, table }))
    await kv.set('mine', Buffer.from('value'))
    await bench.sql.query(`INSERT INTO ${table} VALUES ('\\xff', '\\x${'00'.repeat(12)}', NULL, '')`)
    expect(await kv.count()).toBe(1)
    await kv.clear({ all: true })
    expect((await bench.sql.query(`SELECT k FROM ${table}`)).rowCount).toBe(1)
  })

  test('a scan that is said to resume before its range lists nothing from there', async () => {
    const store = bench.store({ url, table: await bench.table() })
    await keyValue(store).setMany(['a', 'b1', 'b2', 'b3', 'c'].map((key) => [key, Buffer.from('value')]))
    const listed = async (from: string, gte?: string): Promise<string[]> => {
      const resume = Buffer.from(from).toString('base64url')
      const keys: string[] = []
      for await (const { entries } of store.scan(
        { prefix: 'b', gte, lt: undefined, resume, pageSize: 2, values: false },
        { deadlineAt: performance.now() + 5_000 },
      ))
        keys.push(...entries.map(({ key }) => key))
      return keys
    }
    expect(await listed('a')).toEqual(['b1', 'b2', 'b3'])
    expect(await listed('b1', 'b3')).toEqual(['b3'])
    expect(await listed('b1')).toEqual(['b2', 'b3'])
    expect(await listed('c')).toEqual([])
  })

  test('keys one byte over the limit are refused before the wire, those at the limit are taken', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table() }))
    const limit = kv.capabilities.maxKeyBytes
    await kv.set('k'.repeat(limit), Buffer.from('value'))
    expect(await kv.get('k'.repeat(limit))).toEqual(Buffer.from('value'))
    expect(await codeOf(kv.set('k'.repeat(limit + 1), Buffer.from('value')))).toBe('KEY_TOO_LONG')
  })

  test('without named statements everything works the same', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table(), namedStatements: false }))
    const { version } = await kv.set('a', Buffer.from('1'), { ttlMs: 60_000 })
    expect(await kv.increment('a')).toBe(2)
    expect(await codeOf(kv.set('a', Buffer.from('3'), { ifVersion: version as string }))).toBe(
      'CONDITION_FAILED',
    )
    await kv.setMany(Array.from({ length: 9 }, (_, i) => [`b${i}`, Buffer.from(`${i}`)]))
    expect(await kv.getMany(['b0', 'b8'])).toEqual([Buffer.from('0'), Buffer.from('8')])
    await kv.deleteMany(['b0', 'b1'])
    expect(await kv.count({ prefix: 'b' })).toBe(7)
    const { rows } = await kv.native.query('SELECT name FROM pg_prepared_statements')
    expect(rows).toEqual([])
  })
})
