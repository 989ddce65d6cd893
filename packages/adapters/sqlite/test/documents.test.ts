import { inspect } from 'node:util'
import { type Json, keyValue, type Store, type StoreQuery, type Where } from '@unikv/core'
import { callOptions, declaredIndexes, sqlOf } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { dialectOf } from '../src/find/find.ts'
import { codeOf, newPath, opened, write } from './fresh.ts'

describe('documents', () => {
  test('are JSON text for queries of one’s own', async () => {
    const store = opened({ path: await newPath(), values: 'document' })
    const kv = keyValue(store)
    await kv.set('ada', { name: 'Ada', born: 1815 })
    await kv.set('grace', { name: 'Grace', born: 1906 })
    await kv.increment('count', 2)
    const select = kv.native
      .prepare(`SELECT CAST(k AS TEXT) FROM unikv WHERE json_extract(value, '$.born') < ?`)
      .raw()
    expect(select.all([1900])).toEqual([['ada']])
    expect(await kv.get('count')).toBe(2)
    kv.native.prepare("UPDATE unikv SET value = 'no json' WHERE k = ?").run([Buffer.from('ada')])
    await expect(kv.get('ada')).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('that JSON would change are refused, with the whole call', async () => {
    const store: Store<Json> = opened({ path: await newPath(), values: 'document', threads: 0 })
    const results = await write<Json>(store, [
      { type: 'set', key: 'a', value: { ok: true } },
      { type: 'set', key: 'b', value: { planted: Number.NaN } },
    ])
    expect(results).toMatchObject([{ code: 'INVALID_VALUE' }, { code: 'INVALID_VALUE' }])
    expect(inspect(results, { depth: 9, showHidden: true })).not.toContain('planted')
    expect(await store.read([{ key: 'a' }], callOptions())).toEqual([undefined])
  })

  test('declared indexes are made by several at once, refused where they are missing, and serve equality, range and order', async () => {
    const path = await newPath()
    const indexes = [['ip', "it's.at"]]
    await keyValue(opened({ path, values: 'document', threads: 0 })).set('0', { ip: 'b', "it's": { at: 0 } })
    const options = { path, values: 'document', indexes } as const
    expect(await codeOf(() => keyValue(opened({ ...options, threads: 0, prepare: false })).get('0'))).toBe(
      'NOT_PREPARED',
    )
    const open = () => keyValue(opened({ ...options, threads: 1 }), [], { timeoutMs: 60_000 })
    const [kv, ...others] = [open(), open(), open()] as const
    await Promise.all([kv.get('0'), ...others.map((one) => one.get('0'))])
    await kv.setMany(
      Array.from({ length: 300 }, (_, n) => [`${n}`, { ip: n % 2 ? 'a' : 'b', "it's": { at: n } }]),
    )
    const [index] = declaredIndexes(indexes, { dataset: 'unikv', documents: true })
    const ip = { kind: 'compare', path: ['ip'], by: 'eq', value: 'a' } as const
    const at = { kind: 'compare', path: ["it's", 'at'], by: 'gt', value: 100 } as const
    const query: StoreQuery = {
      start: '',
      end: undefined,
      where: { kind: 'and', parts: [ip, at] },
      page: { orderBy: [{ path: at.path, descending: false }], after: undefined, limit: 5 },
    }
    const declared = index === undefined ? [] : [index]
    const { text, values } = sqlOf(dialectOf({ table: 'unikv', indexes: declared }, 0), query)
    const plan = JSON.stringify(kv.native.prepare(`EXPLAIN QUERY PLAN ${text}`).all(values))
    expect(plan).toContain(`USING INDEX ${index?.name} (`)
    expect(plan).not.toContain('TEMP B-TREE')
    const { items } = await kv.find({
      where: { ip: 'a', "it's.at": { gt: 100 } },
      orderBy: ["it's.at"],
      limit: 2,
    })
    expect(items.map(([key]) => key)).toEqual(['101', '103'])
  })

  test.each([undefined, [['v']]])(
    'texts with U+0000 are found as they are, with indexes %j',
    async (indexes) => {
      const texts = [
        '',
        '\u0000',
        'a',
        'a\u0000',
        'a\u0000b',
        'a\u0001',
        'a'.repeat(128),
        `${'a'.repeat(127)}\u0000`,
      ]
      const ordered = texts.toSorted()
      const kv = keyValue(opened({ path: await newPath(), values: 'document', indexes }))
      await kv.setMany(texts.map((v) => [`key ${v}`, { v }]))
      const found = async (where: Where): Promise<unknown> =>
        (await kv.find({ where, orderBy: ['v'] })).items.map(([, { value }]) => (value as { v: string }).v)
      for (const text of texts) {
        expect(await found({ v: text })).toEqual([text])
        expect(await found({ v: { lt: text } })).toEqual(ordered.filter((one) => one < text))
        expect(await found({ v: { gte: text } })).toEqual(ordered.filter((one) => one >= text))
      }
      const where = { v: { gt: 'a', lt: 'a\u0001' } }
      expect(await kv.aggregate({ where, of: 'v' })).toMatchObject({ min: 'a\u0000', max: 'a\u0000b' })
    },
  )

  test.each([
    [{ indexes: [['a']] }, /indexes is for values: 'document'/],
    [{ values: 'document', indexes: ['a'] }, /indexes\[0\] must be a list of 1 to 4 paths/],
    [{ values: 'document', indexes: [['a'], ['b', '']] }, /indexes\[1\]: A path is/],
    [{ values: 'document', indexes: [['a', 'a']] }, /names a path twice/],
    [{ values: 'document', indexes: [['a\\\\b']] }, /cannot have an index over/],
  ])('indexes that cannot be are refused: %j', async (options, message) => {
    const path = await newPath()
    expect(() => opened({ path, ...options } as never)).toThrow(message)
  })
})
