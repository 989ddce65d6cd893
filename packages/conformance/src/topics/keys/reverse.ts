import assert from 'node:assert/strict'
import { rejectsWith } from '../../assertions.ts'
import { not, ordered, reverse, scan, type Topic, ttl } from '../../topic.ts'
import { collect, set, setAll } from '../../verbs.ts'

const thirty = Array.from({ length: 30 }, (_, i) => `key ${String(i).padStart(2, '0')}`)

export const reverseListings: Topic = {
  title: 'listings in reverse, and clear of a range',
  cases: [
    {
      title: 'keys and entries come from the last to the first',
      needs: [reverse],
      run: async ({ kv, value }) => {
        await kv.setMany(thirty.map((key, i) => [key, value(i)]))
        assert.deepEqual(await collect(kv.keys({ reverse: true })), thirty.toReversed())
        assert.deepEqual(await collect(kv.keys({ reverse: true, pageSize: 4 })), thirty.toReversed())
        const entries = await collect(kv.entries({ reverse: true, limit: 3 }))
        assert.deepEqual(
          entries.map(([key]) => key),
          thirty.toReversed().slice(0, 3),
        )
      },
    },
    {
      title: 'a range and a prefix in reverse',
      needs: [reverse],
      run: async ({ kv, value }) => {
        const others = ['kex', 'key', 'kez', '\u{10ffff}', 'é']
        await kv.setMany([...thirty, ...others].map((key, i) => [key, value(i)]))
        const list = (options: object): Promise<string[]> => collect(kv.keys({ ...options, reverse: true }))
        assert.deepEqual(await list({ prefix: 'key ' }), thirty.toReversed())
        assert.deepEqual(await list({ gt: 'key 03', lte: 'key 07', pageSize: 2 }), [
          'key 07',
          'key 06',
          'key 05',
          'key 04',
        ])
        assert.deepEqual(await list({ gte: 'key 03', lt: 'key 05', pageSize: 1 }), ['key 04', 'key 03'])
        await kv.set('key 27\u{10ffff}a', value(40))
        assert.deepEqual(await list({ gte: 'key 28' }), ['\u{10ffff}', 'é', 'kez', 'key 29', 'key 28'])
      },
    },
    {
      title: 'namespaces keep to themselves in reverse',
      needs: [reverse],
      run: async ({ kv, value }) => {
        const inside = kv.namespace('a')
        await kv.setMany(['a', 'b'].map((key, i) => [key, value(i)]))
        await inside.setMany(['x', 'y'].map((key, i) => [key, value(i)]))
        await kv.namespace('b').set('z', value(3))
        assert.deepEqual(await collect(kv.keys({ reverse: true })), ['b', 'a'])
        assert.deepEqual(await collect(inside.keys({ reverse: true })), ['y', 'x'])
      },
    },
    {
      title: 'expired records are not listed in reverse, and do not count against a limit',
      needs: [reverse, ttl],
      run: async ({ kv, store, value, expired }) => {
        await kv.setMany(thirty.map((key, i) => [key, value(i)]))
        for (const key of ['key 27', 'key 28'])
          await expired((expiresAt) => set(store, key, value(1), { expiresAt }))
        const expected = ['key 29', 'key 26', 'key 25', 'key 24']
        assert.deepEqual(await collect(kv.keys({ reverse: true, limit: 4 })), expected)
        const entries = await collect(kv.entries({ reverse: true, limit: 4, pageSize: 2 }))
        assert.deepEqual(
          entries.map(([key]) => key),
          expected,
        )
      },
    },
    {
      title: 'a cursor continues in its direction, and in no other',
      needs: [reverse],
      run: async ({ kv, value }) => {
        await kv.setMany(thirty.map((key, i) => [key, value(i)]))
        const seen: string[] = []
        let cursor: string | undefined
        do {
          for await (const page of kv.keys({ reverse: true, pageSize: 7, cursor }).pages()) {
            seen.push(...page.items)
            cursor = page.cursor
            break
          }
          if (cursor !== undefined) await rejectsWith('INVALID_ARGUMENT', () => collect(kv.keys({ cursor })))
        } while (cursor !== undefined)
        assert.deepEqual(seen, thirty.toReversed())
      },
    },
    {
      title: 'a limit is all that the store is asked for',
      needs: [scan],
      run: async (t) => {
        await setAll(
          t.store,
          thirty.map((key, i) => [key, t.value(i)]),
        )
        const asked: number[] = []
        const kv = t.keyValue({
          ...t.observed().store,
          scan: (range, options) => {
            asked.push(range.pageSize)
            return t.store.scan(range, options)
          },
        })
        assert.equal((await collect(kv.keys({ limit: 5 }))).length, 5)
        assert.deepEqual(asked, [5])
      },
    },
    {
      title: 'a listing in reverse is UNSUPPORTED where the store has none',
      needs: [scan, not(reverse)],
      run: async ({ kv }) => {
        await rejectsWith('UNSUPPORTED', () => collect(kv.keys({ reverse: true })))
      },
    },
    {
      title: 'clear of a range takes what is in it, and nothing else',
      needs: [ordered],
      run: async ({ kv, value }) => {
        const inside = kv.namespace('key 1')
        await kv.setMany(thirty.map((key, i) => [key, value(i)]))
        await inside.setMany(thirty.map((key, i) => [key, value(i)]))
        assert.equal(await kv.clear({ gte: 'key 05', lt: 'key 20' }), 15)
        assert.deepEqual(await collect(kv.keys()), [...thirty.slice(0, 5), ...thirty.slice(20)])
        assert.equal(await kv.clear({ lt: 'key 03' }), 3)
        assert.equal(await kv.clear({ gt: 'key 27' }), 2)
        assert.equal(await inside.count(), 30)
        assert.equal(await inside.clear({ gt: 'key 00', lte: 'key 10' }), 10)
        assert.equal(await inside.count(), 20)
        assert.equal(await kv.count(), 10)
      },
    },
    {
      title: 'clear of a range without order is UNSUPPORTED, and of two things at once refused',
      needs: [scan],
      run: async (t) => {
        await t.kv.set('a', t.value(1))
        await rejectsWith('INVALID_ARGUMENT', () => t.kv.clear({ prefix: 'a', gte: 'a' } as never))
        await rejectsWith('INVALID_ARGUMENT', () => t.kv.clear({ all: true, lt: 'b' } as never))
        const kv = t.keyValue(
          t.observed({ scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' } }).store,
        )
        await rejectsWith('UNSUPPORTED', () => kv.clear({ gte: 'a' }))
        assert.equal(await t.kv.has('a'), true)
      },
    },
  ],
}
