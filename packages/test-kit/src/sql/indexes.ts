import { type Json, keyValue, type StoreQuery } from '@unikv/core'
import { type DeclaredIndex, declaredIndexes } from '@unikv/core/adapter'
import { expect, test } from 'vitest'
import { codeOf } from '../calls.ts'
import type { SqlBench } from './bench.ts'

const indexes = [
  ['ip', 'at'],
  ['source.host', 'at'],
]

/** Calls that move much, on a machine that may be slow. */
const patient = { timeoutMs: 60_000 }

/** Equality, range and order. */
const query: StoreQuery = {
  start: '',
  end: undefined,
  where: {
    kind: 'and',
    parts: [
      { kind: 'compare', path: ['ip'], by: 'eq', value: '10.0.0.1' },
      { kind: 'compare', path: ['at'], by: 'gte', value: 7_900 },
    ],
  },
  page: { orderBy: [{ path: ['at'], descending: false }], after: undefined, limit: 5 },
}

/** How the statement of a query would run, after the server has looked at the table. */
export type Explain = (table: string, indexes: readonly DeclaredIndex[], query: StoreQuery) => Promise<string>

/** Tests of declared indexes. `serves` is what the plan tells where an index has the conditions and the order. */
export function testIndexes(bench: SqlBench, explain: Explain, serves: (name: string) => RegExp): void {
  test('declared indexes are refused where they are missing, made once by many, and serve equality, range and order', async () => {
    const { url } = bench
    const table = await bench.table({ values: 'document' })
    const options = { url, table, values: 'document', indexes } as const
    expect(await codeOf(keyValue(bench.documents(options), [], patient).get('a'))).toBe('NOT_PREPARED')
    await Promise.all(Array.from({ length: 4 }, () => bench.prepare(options)))
    await bench.prepare(options)
    const kv = keyValue(bench.documents(options), [], patient)
    const document = (n: number): Json => ({
      ip: `10.0.0.${n % 4}`,
      at: n,
      source: { host: 'a'.repeat(n % 500) },
    })
    await kv.setMany(Array.from({ length: 8_000 }, (_, n) => [`${n}`, document(n)]))
    const declared = declaredIndexes(indexes, { dataset: table, documents: true })
    expect(await explain(table, declared, query)).toMatch(serves(declared[0]?.name as string))
    const { items } = await kv.find({
      where: { ip: '10.0.0.1', at: { gte: 7_900 } },
      orderBy: ['at'],
      limit: 3,
    })
    expect(items.map(([key]) => key)).toEqual(['7901', '7905', '7909'])
    // Longer than what the index has of a text.
    const where = { 'source.host': { gt: 'a'.repeat(498) } }
    expect((await kv.aggregate({ where, of: 'at' })).count).toBe(16)
    expect((await kv.find({ where, orderBy: [{ desc: 'source.host' }], limit: 1 })).items[0]?.[0]).toBe(
      '1499',
    )
  })
}
