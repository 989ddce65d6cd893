import assert from 'node:assert/strict'
import { assertSame, rejectsWith } from '../../assertions.ts'
import { conditionalWrite, increment, type Topic, touch, ttl } from '../../topic.ts'
import { presentEntry } from '../../verbs.ts'
import { assertExpiresAt } from './expiry.ts'

const farMs = 10_000_000

export const expiryTimes: Topic = {
  title: 'expiry as a time, head, and the entry of a counter',
  cases: [
    {
      title: 'head has version and expiry of the entry',
      run: async ({ kv, value }) => {
        await kv.set('key', value(1))
        const { version, expiresAt } = (await kv.getEntry('key')) ?? assert.fail('the record is there')
        assert.deepEqual(await kv.head('key'), { version, expiresAt })
        assert.equal(await kv.head('never'), undefined)
      },
    },
    {
      title: 'ping resolves to milliseconds, and a closed store rejects it',
      run: async (t) => {
        const ms = await t.kv.ping()
        assert.ok(ms >= 0 && Number.isFinite(ms), `${ms} ms`)
        const kv = t.keyValue(await t.another())
        await kv.close()
        await rejectsWith('CLOSED', () => kv.ping())
      },
    },
    {
      title: 'expiresAt is the expiry of a set',
      needs: [ttl],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        await t.kv.set('key', t.value(1), { expiresAt })
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
        assertExpiresAt(t, (await t.kv.head('key'))?.expiresAt, expiresAt)
        await t.kv.set('key', t.value(1), { expiresAt: Number.POSITIVE_INFINITY })
        assert.equal((await presentEntry(t.store, 'key')).expiresAt, undefined)
      },
    },
    {
      title: 'an expiresAt that has passed deletes',
      needs: [ttl],
      run: async (t) => {
        const expiresAt = t.now() - 1
        await t.kv.setMany(['set', 'many', 'stays'].map((key, i) => [key, t.value(i)]))
        await t.kv.set('set', t.value(9), { expiresAt })
        await t.kv.setMany([['many', t.value(9), { expiresAt }]])
        assert.deepEqual(
          (await t.kv.getMany(['set', 'many', 'stays'])).map((one) => one !== undefined),
          [false, false, true],
        )
      },
    },
    {
      title: 'an expiresAt that has passed deletes on a condition, and in update',
      needs: [ttl, conditionalWrite],
      run: async (t) => {
        const expiresAt = t.now() - 1
        const { version } = await t.kv.set('key', t.value(1))
        const ifVersion = 'f'.repeat(24)
        await rejectsWith('CONDITION_FAILED', () => t.kv.set('key', t.value(2), { expiresAt, ifVersion }))
        assert.equal(await t.kv.has('key'), true)
        await t.kv.set('key', t.value(2), { expiresAt, ifVersion: version as string })
        assert.equal(await t.kv.has('key'), false)
        await rejectsWith('INVALID_ARGUMENT', () =>
          t.kv.set('key', t.value(2), { expiresAt, ifVersion: null }),
        )
        await t.kv.set('key', t.value(1))
        assert.equal(await t.kv.update('key', () => t.value(2), { expiresAt }), undefined)
        assert.equal(await t.kv.has('key'), false)
        assert.equal(await t.kv.update('key', () => t.value(2), { expiresAt }), undefined)
      },
    },
    {
      title: 'update gives a new expiry if it is told to, and else keeps it',
      needs: [ttl, conditionalWrite],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        await t.kv.update('key', () => t.value(1), { expiresAt })
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
        await t.kv.update('key', () => t.value(2))
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
        assertSame(await t.kv.update('key', () => t.value(3), { expiresAt: expiresAt + farMs }), t.value(3))
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt + farMs)
        await t.kv.update('key', () => t.value(4), { ttlMs: Number.POSITIVE_INFINITY })
        assert.equal((await presentEntry(t.store, 'key')).expiresAt, undefined)
      },
    },
    {
      title: 'touch takes a time; one that has passed deletes',
      needs: [ttl, touch],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        const { version } = await t.kv.set('key', t.value(1))
        assert.equal(await t.kv.touch('key', { expiresAt }), true)
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
        assert.equal((await presentEntry(t.store, 'key')).version, version)
        assert.equal(await t.kv.touch('key', { expiresAt: t.now() - 1 }), true)
        assert.equal(await t.kv.has('key'), false)
        assert.equal(await t.kv.touch('key', { expiresAt: t.now() - 1 }), false)
      },
    },
    {
      title: 'incrementEntry tells number, version and expiry',
      needs: [increment, ttl],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        const first = await t.kv.incrementEntry('key', 2, { initial: 40, expiresAt })
        assert.equal(first.value, 42)
        assertExpiresAt(t, first.expiresAt, expiresAt)
        const second = await t.kv.incrementEntry('key', 1, { expiresAt: expiresAt + farMs })
        assert.equal(second.value, 43)
        const entry = await presentEntry(t.store, 'key')
        assert.equal(second.version, entry.version)
        assert.equal(second.expiresAt, entry.expiresAt, 'an existing counter keeps its expiry')
        assert.equal((await t.kv.incrementEntry('forever')).expiresAt, undefined)
      },
    },
    {
      title: 'increments of one tick are each told the expiry',
      needs: [increment, ttl],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        const told = await Promise.all(
          Array.from({ length: 20 }, (_, i) => t.kv.incrementEntry(`key ${i % 4}`, 1, { expiresAt })),
        )
        for (const one of told) assertExpiresAt(t, one.expiresAt, expiresAt)
      },
    },
    {
      title: 'wrong expiries are refused before the store is asked',
      needs: [ttl],
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        const wrong = [-1, Number.NaN, '2030-01-01', new Date(), null, t.now() + 1e15]
        for (const expiresAt of wrong)
          await rejectsWith('INVALID_ARGUMENT', () => kv.set('key', t.value(1), { expiresAt } as never))
        await rejectsWith('INVALID_ARGUMENT', () =>
          kv.set('key', t.value(1), { ttlMs: 1_000, expiresAt: t.now() + farMs }),
        )
        assert.equal(probe.calls, 0, 'nothing was sent')
      },
    },
  ],
}
