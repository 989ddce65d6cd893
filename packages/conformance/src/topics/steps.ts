import assert from 'node:assert/strict'
import { assertSame, rejectsWith } from '../assertions.ts'
import { conditionalWrite, increment, scan, type Topic, touch, ttl } from '../topic.ts'
import { listKeys, presentEntry, readValue, setAll } from '../verbs.ts'

const ten = Array.from({ length: 10 }, (_, i) => `key ${i}`)

export const steps: Topic = {
  title: 'calls of several steps',
  cases: [
    {
      title: 'updates of one key at once follow each other, with one write each',
      needs: [conditionalWrite],
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        let sum = 0
        const runs = Array.from({ length: 100 }, () =>
          kv.update('key', () => t.value(++sum), { timeoutMs: 60_000 }),
        )
        await Promise.all(runs)
        assert.equal(sum, 100, 'no function ran twice')
        assertSame(await kv.get('key'), t.value(100))
        assert.ok(probe.calls <= 220, `${probe.calls} calls`)
      },
    },
    {
      title: 'an update keeps its place among the calls on its key',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set('key', value(0))
        const seen: unknown[] = []
        const calls = [
          kv.set('key', value(1)),
          kv.update('key', (present) => {
            seen.push(present)
            return value(2)
          }),
          kv.get('key'),
          kv.set('key', value(3)),
          kv.get('key'),
        ]
        const [, updated, between, , last] = await Promise.all(calls)
        assertSame(seen[0], value(1))
        assertSame(updated, value(2))
        assertSame(between, value(2))
        assertSame(last, value(3))
      },
    },
    {
      title: 'an update with a wrong deadline is INVALID_ARGUMENT',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        for (const timeoutMs of [0, -5, Number.NaN])
          await rejectsWith('INVALID_ARGUMENT', () => kv.update('key', () => value(1), { timeoutMs }))
      },
    },
    {
      title: 'an update keeps the expiry that a touch sets between its read and its write',
      needs: [conditionalWrite, ttl, touch],
      run: async (t) => {
        const other = t.keyValue(await t.reopened())
        await t.kv.set('key', t.value(1))
        let touched: Promise<boolean> | undefined
        await t.kv.update('key', () => {
          touched ??= other.touch('key', { ttlMs: 60_000 })
          return t.value(2)
        })
        assert.equal(await touched, true)
        assert.notEqual((await presentEntry(t.store, 'key')).expiresAt, undefined)
      },
    },
    {
      title: 'a call after clear finds it done, and stays',
      needs: [scan],
      run: async ({ kv, store, value }) => {
        await setAll(
          store,
          ten.map((key, i) => [key, value(i)]),
        )
        const [cleared, , gone, , there] = await Promise.all([
          kv.clear({ all: true }),
          kv.set('key 0', value(20)),
          kv.get('key 1'),
          kv.setMany([
            ['key 2', value(22)],
            ['new', value(23)],
          ]),
          kv.has('key 2'),
        ])
        assert.equal(cleared, 10)
        assert.equal(gone, undefined)
        assert.equal(there, true)
        assertSame(await readValue(store, 'key 0'), value(20))
        assert.deepEqual((await listKeys(kv)).sort(), ['key 0', 'key 2', 'new'])
      },
    },
    {
      title: 'an update, a touch and an increment after clear find no record',
      needs: [scan, conditionalWrite],
      run: async (t) => {
        const { kv, value } = t
        await kv.setMany(ten.map((key, i) => [key, value(i)]))
        const seen: unknown[] = []
        const calls: Promise<unknown>[] = [
          kv.clear({ prefix: 'key' }),
          kv.update('key 0', (present) => {
            seen.push(present)
            return value(30)
          }),
        ]
        if (t.capabilities.touch)
          calls.push(kv.touch('key 1', { ttlMs: undefined }).then((found) => assert.equal(found, false)))
        await Promise.all(calls)
        assert.deepEqual(seen, [undefined])
        assert.deepEqual(await listKeys(kv), ['key 0'])
        assertSame(await kv.get('key 0'), value(30))
      },
    },
    {
      title: 'an increment after clear starts anew',
      needs: [scan, increment],
      run: async ({ kv }) => {
        await kv.increment('counter', 5)
        const [, now] = await Promise.all([kv.clear({ all: true }), kv.increment('counter', 1)])
        assert.equal(now, 1)
        assert.equal(await kv.increment('counter', 0), 1)
      },
    },
    {
      title: 'clear after an update takes what that wrote',
      needs: [scan, conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set('key', value(1))
        await Promise.all([
          kv.update('key', () => value(2)),
          kv.update('other', () => value(3)),
          kv.clear({ all: true }),
        ])
        assert.deepEqual(await listKeys(kv), [])
      },
    },
    {
      title: 'close waits for an update and for clear as a whole',
      needs: [scan, conditionalWrite],
      run: async (t) => {
        const probe = t.observed({ sync: 'none' })
        const kv = t.keyValue(probe.store)
        await kv.set('key', t.value(1))
        await kv.set('space', t.value(1))
        const space = kv.namespace('space')
        await space.set('key', t.value(1))
        probe.hold()
        const calls = [kv.update('key', () => t.value(2)), space.clear({ all: true })]
        const closed = kv.close()
        probe.release()
        await Promise.all([...calls, closed])
        const reopened = await t.reopened()
        // The same one, where another cannot be had: it is closed.
        if (reopened === t.store) return
        const after = t.keyValue(reopened)
        if ((await after.get('key')) !== undefined) assertSame(await after.get('key'), t.value(2))
      },
    },
    {
      title: 'a listing waits for writes, and for no read',
      needs: [scan],
      run: async (t) => {
        const probe = t.observed({ sync: 'none' })
        const kv = t.keyValue(probe.store)
        await kv.set('key', t.value(1))
        probe.hold()
        const slow = kv.get('key')
        probe.pass()
        assert.equal(await kv.count(), 1)
        probe.release()
        assertSame(await slow, t.value(1))
      },
    },
  ],
}
