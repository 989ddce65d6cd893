import assert from 'node:assert/strict'
import { compareKeys } from '@unikv/core/adapter'
import { assertSameKeys, rejectsWith } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import { not, ordered, scan, type Topic } from '../../topic.ts'
import { listKeys, scanKeys, setAll } from '../../verbs.ts'

/** Keys whose order depends on what is compared: bytes, UTF-16 units, letters or numbers. */
// biome-ignore format: many on a line, to be looked over
const telling = [
  'a', 'B', 'b', 'A', '\u00e4', 'z', 'Z', '_', '1', '10', '2', '02', ' ', '~', '-1', '\u007f', '\u0080', '\u07ff',
  '\u0800', '\ud7ff', '\ue000', '\uffee', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}', 'a\u0000', 'a\u0001',
  'aa', 'a\u{10000}', 'a\uffff',
]

export const order: Topic = {
  title: 'order and ranges',
  cases: [
    {
      title: 'keys come in the order of their UTF-8 bytes, over pages of any size',
      needs: [ordered],
      run: async (t) => {
        await write(t, telling)
        for (const pageSize of [1, 5, 100])
          assert.deepEqual(await scanKeys(t.store, { pageSize }), sorted(telling))
      },
    },
    {
      title: 'a range holds its first key and not its end',
      needs: [ordered],
      run: async (t) => {
        await write(t, telling)
        const listed = async (gte: string, lt: string): Promise<void> => {
          const wanted = sorted(telling).filter(
            (key) => compareKeys(key, gte) >= 0 && compareKeys(key, lt) < 0,
          )
          const found = await scanKeys(t.store, { gte, lt, pageSize: 10 })
          assert.deepEqual(found, wanted, `from ${gte} to ${lt}`)
        }
        for (const gte of sorted(telling))
          await Promise.all([gte, 'a', 'b', 'z', '\ue000', '\u{1f600}'].map((lt) => listed(gte, lt)))
      },
    },
    {
      title: 'a range with a prefix holds what is in both',
      needs: [ordered],
      run: async (t) => {
        await write(t, telling)
        const inA = sorted(telling).filter((key) => key.startsWith('a'))
        assert.deepEqual(await scanKeys(t.store, { prefix: 'a', gte: 'A', lt: 'z' }), inA)
        assert.deepEqual(await scanKeys(t.store, { prefix: 'a', gte: 'a\u0001', pageSize: 2 }), inA.slice(2))
        assert.deepEqual(await scanKeys(t.store, { prefix: 'a', lt: 'a\u0001' }), inA.slice(0, 2))
        assert.deepEqual(await scanKeys(t.store, { prefix: 'a', gte: 'b' }), [])
        assert.deepEqual(await scanKeys(t.store, { prefix: 'a', lt: 'A' }), [])
      },
    },
    {
      title: 'a range resumes after any of its pages',
      needs: [ordered],
      run: async (t) => {
        await write(t, telling)
        const range = { gte: '1', lt: '\u{10000}' }
        const whole = await scanKeys(t.store, range)
        for (let taken = 0, resume: string | undefined; taken < whole.length; ) {
          const page = await firstPage(t, { ...range, resume })
          assert.deepEqual(page.keys, whole.slice(taken, taken + 3))
          taken += page.keys.length
          resume = page.resume
        }
      },
    },
    {
      title: 'KeyValue lists from, after, up to and before a key',
      needs: [ordered],
      run: async ({ kv, value }) => {
        const keys = [
          'a',
          'a\u0000',
          'aa',
          'ab',
          'b',
          'c',
          '\u{10000}',
          '\uffff',
          '\u0000',
          '\u0001x',
          '\u0002',
        ]
        await kv.setMany(keys.map((key, i) => [key, value(i)]))
        await kv.namespace('a').set('inside', value(100))
        const all = sorted(keys)
        for (const key of all) {
          const at = all.indexOf(key)
          assert.deepEqual(await listKeys(kv, { gte: key }), all.slice(at))
          assert.deepEqual(await listKeys(kv, { gt: key }), all.slice(at + 1))
          assert.deepEqual(await listKeys(kv, { lt: key }), all.slice(0, at))
          assert.deepEqual(await listKeys(kv, { lte: key }), all.slice(0, at + 1))
        }
        assert.deepEqual(await listKeys(kv, { gt: 'a', lte: 'b', limit: 3 }), ['a\u0000', 'aa', 'ab'])
      },
    },
    {
      title: 'a range on a store without order is refused before the store is asked',
      needs: [scan, not(ordered)],
      run: async ({ kv }) => {
        for (const bound of ['gt', 'gte', 'lt', 'lte']) {
          await rejectsWith('UNSUPPORTED', () => listKeys(kv, { [bound]: 'a' }))
        }
        assertSameKeys(await listKeys(kv), [])
      },
    },
  ],
}

async function write({ store, value }: Fixture, keys: readonly string[]): Promise<void> {
  await setAll(
    store,
    keys.map((key, i) => [key, value(i)]),
  )
}

function sorted(keys: readonly string[]): string[] {
  return keys.toSorted(compareKeys)
}

async function firstPage({ store }: Fixture, range: { gte: string; lt: string; resume: string | undefined }) {
  const keys: string[] = []
  const pages = store.scan(
    { prefix: '', pageSize: 3, values: false, ...range },
    { deadlineAt: Number.POSITIVE_INFINITY },
  )
  for await (const { entries, resume } of pages) {
    keys.push(...entries.map(({ key }) => key))
    if (keys.length > 0) return { keys, resume }
  }
  return { keys, resume: undefined }
}
