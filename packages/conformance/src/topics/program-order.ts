import assert from 'node:assert/strict'
import { assertAllSame, assertSame, assertSameKeys, rejectsWith } from '../assertions.ts'
import { runSchedule } from '../schedule.ts'
import { increment, scan, type Topic } from '../topic.ts'
import { listKeys, readValue } from '../verbs.ts'

const atOnce = 10

export const programOrder: Topic = {
  title: 'coalescing and program order',
  cases: [
    {
      title: 'a get sees the set of the same tick before it, and not the one after it',
      run: async ({ kv, value }) => {
        const answers = [
          kv.get('key'),
          kv.set('key', value(1)),
          kv.get('key'),
          kv.set('key', value(2)),
          kv.get('key'),
        ]
        const [before, , between, , after] = await Promise.all(answers)
        assert.equal(before, undefined)
        assertSame(between, value(1))
        assertSame(after, value(2))
      },
    },
    {
      title: 'set, delete and set of one tick leave the last value',
      run: async ({ kv, store, value }) => {
        const answers = [
          kv.set('key', value(1)),
          kv.delete('key'),
          kv.get('key'),
          kv.set('key', value(2)),
          kv.has('key'),
        ]
        const [, , gone, , there] = await Promise.all(answers)
        assert.equal(gone, undefined)
        assert.equal(there, true)
        assertSame(await readValue(store, 'key'), value(2))
        await Promise.all([kv.set('key', value(3)), kv.delete('key')])
        assert.equal(await readValue(store, 'key'), undefined)
      },
    },
    {
      title: 'of a hundred sets of one tick the last stays',
      run: async ({ kv, store, value }) => {
        await Promise.all(Array.from({ length: 100 }, (_, n) => kv.set('key', value(n))))
        assertSame(await readValue(store, 'key'), value(99))
      },
    },
    {
      title: 'a hundred sets and gets of one tick over as many keys answer each to its own',
      run: async ({ kv, value }) => {
        const numbers = Array.from({ length: 100 }, (_, n) => n)
        await Promise.all(numbers.map((n) => kv.set(`key ${n}`, value(n))))
        const found = await Promise.all(numbers.map((n) => kv.get(`key ${n}`)))
        assertAllSame(
          found,
          numbers.map((n) => value(n)),
        )
        const both = await Promise.all(numbers.flatMap((n) => [kv.get(`key ${n}`), kv.get(`absent ${n}`)]))
        assertAllSame(
          both,
          numbers.flatMap((n) => [value(n), undefined]),
        )
      },
    },
    {
      title: 'callers of one key in one tick all get its value',
      run: async ({ kv, value }) => {
        await kv.set('key', value(1))
        const found = await Promise.all(Array.from({ length: 50 }, () => kv.get('key')))
        assertAllSame(
          found,
          found.map(() => value(1)),
        )
      },
    },
    {
      title: 'getMany sees the sets of its tick, and a get the setMany before it',
      run: async ({ kv, value }) => {
        const first = [kv.set('a', value(1)), kv.set('b', value(2)), kv.getMany(['b', 'a', 'c'])] as const
        assertAllSame((await Promise.all(first))[2], [value(2), value(1), undefined])
        const second = [
          kv.setMany([
            ['a', value(3)],
            ['c', value(4)],
          ]),
          kv.get('a'),
          kv.get('c'),
          kv.deleteMany(['a']),
          kv.get('a'),
        ] as const
        const [, a, c, , gone] = await Promise.all(second)
        assertSame(a, value(3))
        assertSame(c, value(4))
        assert.equal(gone, undefined)
      },
    },
    {
      title: 'a listing sees what was set and deleted in its tick',
      needs: [scan],
      run: async ({ kv, value }) => {
        await kv.set('gone', value(1))
        const listing = [
          kv.set('a', value(1)),
          kv.set('b', value(2)),
          kv.delete('gone'),
          listKeys(kv),
        ] as const
        assertSameKeys((await Promise.all(listing))[3], ['a', 'b'])
      },
    },
    {
      title: 'a listing and a clear see what was set in their tick, though there was nothing before',
      needs: [scan],
      run: async ({ kv, value }) => {
        const listing = [kv.set('a', value(1)), listKeys(kv)] as const
        assertSameKeys((await Promise.all(listing))[1], ['a'])
        await kv.delete('a')
        assertSameKeys(await listKeys(kv), [])
        await Promise.all([kv.set('b', value(2)), kv.clear({ prefix: 'b' })])
        assert.equal(await kv.get('b'), undefined)
      },
    },
    {
      title: 'increments of one tick count each',
      needs: [increment],
      run: async ({ kv }) => {
        const counts = await Promise.all(Array.from({ length: 20 }, () => kv.increment('counter')))
        assert.deepEqual(
          counts,
          counts.map((_, i) => i + 1),
        )
      },
    },
    {
      title: 'a call that is refused does not disturb the others of its tick',
      run: async ({ kv, value }) => {
        const good = [kv.set('a', value(1)), kv.get('b')]
        const bad = [
          rejectsWith('INVALID_KEY', () => kv.set('', value(2))),
          rejectsWith('INVALID_VALUE', () => kv.set('b', undefined)),
        ]
        await Promise.all([...good, ...bad])
        assertAllSame(await Promise.all([kv.get('a'), kv.get('b')]), [value(1), undefined])
      },
    },
    {
      title: 'random schedules keep program order, key by key',
      run: async (t) => {
        for (let seed = 1; seed <= t.schedules; seed += atOnce)
          await Promise.all(Array.from({ length: atOnce }, (_, n) => runSchedule(t, seed + n)))
      },
    },
  ],
}
