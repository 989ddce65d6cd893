import assert from 'node:assert/strict'
import { type FindOptions, isStoreError, type Json, json, keyValue, type Where } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { rejectsWith } from '../assertions.ts'
import type { AnyKeyValue, Fixture } from '../fixture.ts'
import { patternKeys } from '../hostile-texts.ts'
import { conditionalWrite, finds, type Topic, ttl } from '../topic.ts'

/** One of each type, and texts that servers may take for equal, for numbers, for patterns, for paths or for statements. */
// biome-ignore format: many on a line, to be looked over
const values: readonly Json[] = [
  null, true, false, 0, 1, -1, 1.5, 1e21, -1e-7, 9007199254740991, 2, 10, '', '0', '1', 'true', 'null', 'a', 'A', 'ä', 'z', 'aa', 'a%', 'a_', 'a\\', 'a ',
  "'", '"', '`', "' OR 1=1 --", '"; DROP TABLE unikv; --', '$a', '$where', '{"$gt":""}', '\u00e9', 'e\u0301', '\uffff', '\u{1f600}', '\u{10ffff}', '\n', '\u0001',
  'long '.repeat(300), `${'long '.repeat(300)}!`, [], [1], ['a', 'b'], [[1]], {}, { a: 1 }, { b: [1, 2] },
]

/** Names of properties that a path must lead to as they are. */
const names: readonly string[] = [
  'a b',
  "it's",
  'a"b',
  'a\\b',
  'a.b',
  '$a',
  '0',
  'ä',
  '[0]',
  '*',
  'and',
  'a`b',
  '--',
  '?',
  '$1',
  '%s',
  '\u{1f600}',
]

const documents: readonly (readonly [string, Json])[] = [
  ...values.map((v, n): readonly [string, Json] => [
    `value ${n}`,
    { v, n, group: n % 3, deep: { er: { still: v } } },
  ]),
  ...names.map((name, n): readonly [string, Json] => [
    `name ${n}`,
    { [name]: n, deep: { [name]: `in ${n}` }, n },
  ]),
  ...values.map((root, n): readonly [string, Json] => [`root ${n}`, root]),
  ['nothing', {}],
  ['in an array', { deep: [{ er: { still: 'a' } }] }],
  ['an array instead', { deep: { er: [{ still: 'a' }] } }],
]

function escaped(name: string): string {
  return name.replace(/[.\\]/g, '\\$&')
}

const scalars = values.filter(
  (value): value is string | number | boolean | null => typeof value !== 'object' || value === null,
)

const wheres: readonly Where[] = [
  {},
  ...scalars.flatMap((value, n): Where[] =>
    value === null
      ? [{ v: null }]
      : [{ v: value }, n % 2 === 0 ? { v: { gt: value } } : { 'deep.er.still': { lte: value } }],
  ),
  ...['', 'a', 'A', '%', 'a%', '_', '\u{10ffff}', 'long '].map((prefix): Where => ({ v: { prefix } })),
  ...names.flatMap((name): Where[] => [
    { [escaped(name)]: { exists: true } },
    { [`deep.${escaped(name)}`]: { prefix: 'in' } },
  ]),
  { v: { exists: false } },
  { v: { exists: true } },
  { a: 1 },
  { 'deep.er.still': 'a' },
  { 'v.0': 1 },
  { 'v.a': { gte: 0 } },
  { v: { in: [null, true, 'a', 1, '1'] } },
  { v: { in: [] } },
  { or: [] },
  { and: [] },
  { and: [{ n: { gte: 5 } }, { n: { lt: 9 } }] },
  { and: [{ n: { gte: 5 } }, { and: [{ n: { lt: 9 } }, { and: [{ n: { gt: 5 } }, { and: [] }] }] }] },
  { or: [{ n: 1 }, { group: 2, v: { exists: true } }, { and: [{ v: { gt: 0 } }, { v: { lt: 2 } }] }] },
  { v: { gt: 'a', lt: 'b' } },
  { v: { gte: false, lte: true } },
  { v: { eq: 1, gt: 'a' } },
  { and: [{ v: { prefix: 'a' }, n: { gte: 0 } }] },
  { or: [{ and: [{ and: [{ n: { gte: 3 }, group: 1 }] }] }, { or: [{ or: [{ v: 'a' }, { n: 2 }] }] }] },
  { n: { in: Array.from({ length: 999 }, (_, n) => 2 * n) } },
  { and: [{ or: [{ v: 'a' }, { n: 1 }] }, { or: [{ v: 'a' }, { n: 2 }, { group: 0 }] }] },
  { and: Array.from({ length: 150 }, (_, n) => ({ v: { in: ['a', true, n % 2] }, n: { gte: -n } })) },
]

const orders: readonly FindOptions['orderBy'][] = [
  undefined,
  ['v'],
  [{ desc: 'v' }],
  ['group', { desc: 'v' }],
  [{ desc: 'deep.er.still' }, 'n'],
  ['a\\.b'],
]

/** Texts that are parts of each other, also for a comparison that knows patterns, a locale, or parts of characters. */
// biome-ignore format: many on a line, to be looked over
const texts: readonly string[] = [
  ...patternKeys, '', ' ', 'a', 'A', 'a ', 'a\nb', '\n', 'ä', 'Ä', 'a\u0308', '\u0308', 'ß', 'ss', '\ufb01', 'fi', 'i', 'İ', 'ı', '\u00a0', '\u200d', '\ufeff',
  '\u{1f600}', 'a\u{1f600}b', '\u{1f601}', '\ue000', '\uffff', '\u{10ffff}', '\u0000', 'a\u0000b', '\u0000b', "a'b", "'", '"', '"v":"', `${'long '.repeat(200)}%`,
]

const partsOfTexts: readonly Where[] = [
  ...texts.map((contains, i): Where => ({ [i % 2 === 0 ? 'v' : 'deep.a\\.b']: { contains } })),
  { list: { contains: 'a' } },
  { n: { contains: '1' } },
  { missing: { contains: '' } },
  { v: { contains: 'a', prefix: 'a', lt: 'a\\' } },
  { v: { contains: '%', gt: 1 } },
  { and: [{ v: { contains: 'a' } }, { v: { contains: 'b' } }] },
  { or: [{ v: { contains: '\u0000' } }, { v: { contains: '%' } }, { n: { lt: 3 } }] },
  {
    v: { contains: 'a' },
    and: [{ v: { contains: 'b' }, and: [{ v: { gt: 'a' } }, { or: [{ v: { contains: '%' } }] }] }],
  },
]

/** Those records of texts that a store takes: some hold no U+0000. */
async function held(kv: AnyKeyValue): Promise<readonly (readonly [string, Json])[]> {
  const records = texts.map((v, n): readonly [string, Json] => [
    `${n}`,
    { v, n, list: [v], deep: { 'a.b': v } },
  ])
  const isPlain = (i: number): boolean => texts[i]?.includes('\u0000') === false
  await kv.setMany(records.filter((_, i) => isPlain(i)))
  const refused = new Set<string>()
  for (const [key, value] of records.filter((_, i) => !isPlain(i)))
    await kv.set(key, value).catch((error: unknown) => {
      if (!isStoreError(error) || error.code !== 'INVALID_VALUE') throw error
      refused.add(key)
    })
  return records.filter(([key]) => !refused.has(key))
}

/** The same documents in memory, where `scan: true` gives queries their meaning. */
async function reference(records = documents): Promise<Finder> {
  const kv = keyValue(memory(), [json()])
  await kv.setMany(records)
  return {
    find: (query) => kv.find({ ...query, scan: true }),
    aggregate: (query) => kv.aggregate({ ...query, scan: true }),
  }
}

interface Finder {
  find(query: FindOptions): Promise<{
    readonly items: readonly (readonly [string, { readonly value: unknown }])[]
    readonly cursor: string | undefined
  }>
  aggregate(query: { readonly where: Where; readonly of: string }): Promise<unknown>
}

async function keysOf(finder: Finder, query: FindOptions): Promise<string[]> {
  const { items } = await finder.find(query)
  return items.map(([key]) => key)
}

async function filled(t: Fixture): Promise<AnyKeyValue> {
  const kv = t.kv.namespace('found') as AnyKeyValue
  await kv.setMany(documents)
  // None of these is in the namespace.
  await t.kv.set('value 1', { v: 'a', n: 1 })
  await kv.namespace('inner').set('value 1', { v: 'a', n: 1 })
  return kv
}

export const finding: Topic = {
  title: 'finding by fields',
  cases: [
    {
      title: 'every query finds the records, in the order, that it means',
      needs: [finds],
      run: async (t) => {
        const [kv, wanted] = [await filled(t), await reference()]
        for (const [i, where] of wheres.entries()) {
          const query = { where, orderBy: orders[i % orders.length], limit: 1000 }
          assert.deepEqual(await keysOf(kv, query), await keysOf(wanted, query), JSON.stringify(query))
        }
        const { items } = await kv.find({ where: { n: 7 }, orderBy: ['v'] })
        const all = new Map(documents)
        for (const [key, { value }] of items) assert.deepEqual(value, all.get(key))
      },
    },
    {
      title: 'a string is found by any part of it, letter for letter',
      needs: [finds],
      run: async (t) => {
        const kv = t.kv.namespace('texts') as AnyKeyValue
        const wanted = await reference(await held(kv))
        for (const [i, where] of partsOfTexts.entries()) {
          const query = { where, orderBy: orders[i % orders.length], limit: 1000 }
          assert.deepEqual(await keysOf(kv, query), await keysOf(wanted, query), JSON.stringify(query))
        }
        const where = { v: { contains: 'a' } }
        const totals = await kv.aggregate({ where, of: 'v' })
        assert.deepEqual(totals, await wanted.aggregate({ where, of: 'v' }))
        assert.ok(totals.count > 10 && totals.count < texts.length)
      },
    },
    {
      title: 'totals are those of the records found',
      needs: [finds],
      run: async (t) => {
        const [kv, wanted] = [await filled(t), await reference()]
        const some: readonly Where[] = [
          {},
          { v: { gt: 0 } },
          { v: { prefix: 'a' } },
          { v: { in: [true, false] } },
          { or: [] },
          { group: 1 },
        ]
        for (const where of some)
          for (const of of ['v', 'n', 'deep.er.still', 'a\\.b'])
            assert.deepEqual(
              await kv.aggregate({ where, of }),
              await wanted.aggregate({ where, of }),
              JSON.stringify({ where, of }),
            )
        assert.equal((await kv.aggregate({})).count, documents.length)
        assert.equal((await t.kv.aggregate({})).count, 1, 'of the root, without its namespaces')
      },
    },
    {
      title: 'pages follow each other by values and key, also under writes',
      needs: [finds],
      run: async (t) => {
        const [kv, wanted] = [await filled(t), await reference()]
        for (const orderBy of orders) {
          const found: string[] = []
          let after: string | undefined
          do {
            const page: Awaited<ReturnType<Finder['find']>> = await kv.find({ orderBy, limit: 17, after })
            found.push(...page.items.map(([key]) => key))
            after = page.cursor
          } while (after !== undefined)
          assert.deepEqual(found, await keysOf(wanted, { orderBy, limit: 1000 }), JSON.stringify(orderBy))
        }
        const first = await kv.find({ where: { n: { lt: 9 } }, orderBy: ['n'], limit: 4 })
        const [last] = first.items.at(-1) ?? []
        // The record that the cursor names goes, one comes before it and one after it.
        await kv.delete(last as string)
        await kv.setMany([
          ['before', { n: -1 }],
          ['z', { n: 8.5 }],
        ])
        const rest = await kv.find({
          where: { n: { lt: 9 } },
          orderBy: ['n'],
          limit: 1000,
          after: first.cursor,
        })
        const keys = [...first.items, ...rest.items].map(([key]) => key)
        assert.equal(new Set(keys).size, keys.length)
        assert.ok(keys.at(-1) === 'z' && !keys.includes('before'))
        await rejectsWith(
          'INVALID_ARGUMENT',
          () => kv.find({ orderBy: ['v'], after: first.cursor }),
          'another query',
        )
      },
    },
    {
      title: 'the next query sees earlier writes and deletes',
      needs: [finds, conditionalWrite],
      run: async ({ kv }) => {
        const writes = [kv.set('a', { v: 1 }), kv.set('b', { v: 2 })]
        assert.equal((await kv.aggregate({ where: { v: { gt: 0 } } })).count, 2)
        await Promise.all(writes)
        const [[key, { version }] = ['', { version: undefined }]] = (await kv.find({ where: { v: 1 } })).items
        await kv.set(key, { v: 3 }, { ifVersion: version as string })
        await kv.delete('b')
        const { items, cursor } = await kv.find({ orderBy: ['v'] })
        assert.deepEqual(
          items.map(([one, { value }]) => [one, value]),
          [['a', { v: 3 }]],
        )
        assert.equal(cursor, undefined)
      },
    },
    {
      title: 'an expired record is not found',
      needs: [finds, ttl],
      run: async (t) => {
        await t.kv.set('stays', { v: 1 })
        await t.expired((expiresAt) =>
          Promise.resolve(
            t.store.write(
              [{ type: 'set', key: 'goes', value: { v: 1 }, version: '0123456789abcdef01234567', expiresAt }],
              { deadlineAt: Number.POSITIVE_INFINITY },
            ),
          ),
        )
        assert.deepEqual(
          (await t.kv.find({ where: { v: 1 } })).items.map(([key]) => key),
          ['stays'],
        )
        assert.equal((await t.kv.aggregate({ where: { v: 1 }, of: 'v' })).sum, 1)
      },
    },
  ],
}
