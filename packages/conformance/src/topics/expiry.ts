import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isWritten, newVersion, type Store } from '@unikv/core'
import { assertAllSame, assertSame, assertSameKeys } from '../assertions.ts'
import type { Fixture } from '../fixture.ts'
import type { TestClock } from '../options.ts'
import { clock, conditionalRead, conditionalWrite, not, scan, type Topic, ttl } from '../topic.ts'
import {
  assertCount,
  assertRefused,
  assertWritten,
  listKeys,
  mutate,
  presentEntry,
  readEntry,
  readResult,
  readValue,
  readValues,
  remove,
  scanKeys,
  set,
  writeTogether,
} from '../verbs.ts'

const farMs = 10_000_000

export const expiry: Topic = {
  title: 'expiry',
  cases: [
    {
      title: 'a record that lives on is read with its expiry',
      needs: [ttl],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        const version = await set(t.store, 'key', t.value(1), { expiresAt })
        const entry = await presentEntry(t.store, 'key')
        assertSame(entry.value, t.value(1))
        assert.equal(entry.version, version)
        assertExpiresAt(t, entry.expiresAt, expiresAt)
      },
    },
    {
      title: 'an expired record is absent for reads of every kind',
      needs: [ttl],
      run: async (t) => {
        await t.expired((expiresAt) => set(t.store, 'key', t.value(1), { expiresAt }))
        await set(t.store, 'other', t.value(2))
        assert.equal(await readEntry(t.store, 'key'), undefined)
        assert.equal(await readResult(t.store, 'key', { head: true }), undefined)
        assertAllSame(await readValues(t.store, ['key', 'other']), [undefined, t.value(2)])
        assert.equal(await t.kv.get('key'), undefined)
        assert.equal(await t.kv.has('key'), false)
      },
    },
    {
      title: 'an expired record is absent for a read of its version',
      needs: [ttl, conditionalRead],
      run: async ({ store, value, expired }) => {
        let version = ''
        await expired(async (expiresAt) => {
          version = await set(store, 'key', value(1), { expiresAt })
        })
        assert.equal(await readResult(store, 'key', { ifNotVersion: version }), undefined)
      },
    },
    {
      title: 'an expired record is not listed, nor counted',
      needs: [ttl, scan],
      run: async ({ store, kv, value, expired, now }) => {
        await expired((expiresAt) => set(store, 'gone', value(1), { expiresAt }))
        await set(store, 'here', value(2), { expiresAt: now() + farMs })
        await set(store, 'there', value(3))
        assertSameKeys(await scanKeys(store), ['here', 'there'])
        assertSameKeys(await scanKeys(store, { values: true, pageSize: 1 }), ['here', 'there'])
        assertSameKeys(await listKeys(kv), ['here', 'there'])
        assertCount(kv, await kv.count(), 2)
      },
    },
    {
      title: 'an expired record counts as absent for conditions',
      needs: [ttl, conditionalWrite],
      run: async ({ store, value, expired }) => {
        let version = ''
        await expired(async (expiresAt) => {
          version = await set(store, 'key', value(1), { expiresAt })
        })
        const late = await mutate(store, {
          type: 'set',
          key: 'key',
          value: value(2),
          version: newVersion(),
          ifVersion: version,
        })
        assertRefused(late, 'the version of an expired record does not match')
        await set(store, 'key', value(3), { ifVersion: null })
        assertSame(await readValue(store, 'key'), value(3))
      },
    },
    {
      title: 'a set without expiry removes the one that was there',
      needs: [ttl],
      run: async (t) => {
        await set(t.store, 'key', t.value(1), { expiresAt: t.now() + farMs })
        await set(t.store, 'key', t.value(2))
        const entry = await presentEntry(t.store, 'key')
        assertSame(entry.value, t.value(2))
        assert.equal(entry.expiresAt, undefined)
      },
    },
    {
      title: 'a set with an expiry replaces the one that was there',
      needs: [ttl],
      run: async (t) => {
        const now = t.now()
        await set(t.store, 'key', t.value(1), { expiresAt: now + farMs })
        await set(t.store, 'key', t.value(2), { expiresAt: now + 2 * farMs })
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, now + 2 * farMs)
      },
    },
    {
      title: 'a set that keeps the expiry replaces value and version alone',
      needs: [ttl],
      run: async (t) => {
        await set(t.store, 'key', t.value(1), { expiresAt: t.now() + farMs })
        const { expiresAt } = await presentEntry(t.store, 'key')
        const version = await set(t.store, 'key', t.value(2), { expiresAt: 'keep' })
        const entry = await presentEntry(t.store, 'key')
        assertSame(entry.value, t.value(2))
        assert.equal(entry.version, version)
        assert.equal(entry.expiresAt, expiresAt)
      },
    },
    {
      title: 'a set that keeps the expiry gives none to a record without one, absent or expired',
      needs: [ttl],
      run: async ({ store, value, expired }) => {
        await set(store, 'there', value(1))
        await expired((expiresAt) => set(store, 'expired', value(1), { expiresAt }))
        for (const key of ['there', 'absent', 'expired']) {
          await set(store, key, value(2), { expiresAt: 'keep' })
          const entry = await presentEntry(store, key)
          assertSame(entry.value, value(2), `value of ${key}`)
          assert.equal(entry.expiresAt, undefined, `expiry of ${key}`)
        }
      },
    },
    {
      title: 'one batch holds records that expire, that do not, and that keep their expiry',
      needs: [ttl],
      run: async (t) => {
        const { store, value } = t
        const now = t.now()
        await set(store, 'kept', value(1), { expiresAt: now + farMs })
        const give = (key: string, expiresAt: number | 'keep' | undefined) =>
          ({ type: 'set', key, value: value(2), version: newVersion(), expiresAt }) as const
        const batch = [give('none', undefined), give('some', now + 2 * farMs), give('kept', 'keep')]
        for (const result of await writeTogether(store, batch)) assertWritten(result)
        assert.equal((await presentEntry(store, 'none')).expiresAt, undefined)
        assertExpiresAt(t, (await presentEntry(store, 'some')).expiresAt, now + 2 * farMs)
        assertExpiresAt(t, (await presentEntry(store, 'kept')).expiresAt, now + farMs)
      },
    },
    {
      title: 'deleting an expired record is a success, and the key can be written again',
      needs: [ttl],
      run: async ({ store, value, expired }) => {
        await expired((expiresAt) => set(store, 'key', value(1), { expiresAt }))
        await remove(store, 'key')
        await set(store, 'key', value(2))
        assertSame(await readValue(store, 'key'), value(2))
      },
    },
    {
      title: 'readers that meet an expired record do not destroy a fresh write',
      needs: [ttl],
      run: async ({ store, value, expired, now }) => {
        for (let n = 0; n < 10; n++) {
          const key = `key ${n}`
          await expired((expiresAt) => set(store, key, value(1), { expiresAt }))
          const reads = Array.from({ length: 8 }, () => readResult(store, key))
          const fresh = set(store, key, value(2), { expiresAt: now() + farMs })
          const more = Array.from({ length: 8 }, () => readResult(store, key))
          await Promise.all([...reads, fresh, ...more])
          await settle()
          assertSame(await readValue(store, key), value(2), `value of ${key}`)
        }
      },
    },
    {
      title: 'listings that meet expired records do not destroy fresh writes',
      needs: [ttl, scan],
      run: async ({ store, value, expired }) => {
        const keys = Array.from({ length: 10 }, (_, i) => `key ${i}`)
        await expired((expiresAt) => Promise.all(keys.map((key) => set(store, key, value(1), { expiresAt }))))
        await Promise.all([
          scanKeys(store, { pageSize: 2 }),
          ...keys.map((key) => set(store, key, value(2))),
          scanKeys(store, { values: true }),
        ])
        await settle()
        assertAllSame(
          await readValues(store, keys),
          keys.map(() => value(2)),
        )
      },
    },
    {
      title: 'a record lives until its time has come, and not longer',
      needs: [ttl, clock],
      run: async (t) => {
        const { precisionMs } = t.capabilities.ttl as { precisionMs: number }
        const clockOfStore = t.clock as TestClock
        const lifeMs = 10 * precisionMs + 1_000
        await t.kv.set('key', t.value(1), { ttlMs: lifeMs })
        await set(t.store, 'other', t.value(2), { expiresAt: t.now() + lifeMs })
        clockOfStore.advance(lifeMs - precisionMs)
        assertAllSame(await readValues(t.store, ['key', 'other']), [t.value(1), t.value(2)])
        clockOfStore.advance(2 * precisionMs - 1)
        assertAllSame(await readValues(t.store, ['key', 'other']), [undefined, undefined])
      },
    },
    {
      title: 'KeyValue sets, keeps and removes the time to live',
      needs: [ttl],
      run: async (t) => {
        await t.kv.set('key', t.value(1), { ttlMs: farMs })
        const first = await t.kv.getEntry('key')
        assertNear(first?.expiresAt, t.now() + farMs)
        await t.kv.set('key', t.value(2), { ttlMs: 'keep' })
        assert.equal((await t.kv.getEntry('key'))?.expiresAt, first?.expiresAt)
        await t.kv.set('key', t.value(3))
        assert.equal((await t.kv.getEntry('key'))?.expiresAt, undefined)
        await t.kv.setMany(
          [
            ['a', t.value(1)],
            ['b', t.value(2)],
          ],
          { ttlMs: farMs },
        )
        assertNear((await t.kv.getEntry('b'))?.expiresAt, t.now() + farMs)
      },
    },
    {
      title: 'update keeps the time to live',
      needs: [ttl, conditionalWrite],
      run: async ({ kv, value }) => {
        await kv.set('key', value(1), { ttlMs: farMs })
        const before = await kv.getEntry('key')
        await kv.update('key', () => value(2))
        const after = await kv.getEntry('key')
        assertSame(after?.value, value(2))
        assert.equal(after?.expiresAt, before?.expiresAt)
      },
    },
    {
      title: 'a record expires by itself',
      needs: [ttl, not(clock)],
      run: assertExpiresByItself,
    },
  ],
}

/** The one case that waits: for stores that ask a server for the time. */
async function assertExpiresByItself({ store, value, counter, capabilities }: Fixture): Promise<void> {
  const { precisionMs } = capabilities.ttl as { precisionMs: number }
  const lifeMs = 200 + 2 * precisionMs
  const keys = ['read', 'condition', 'touch', 'increment', 'keep', 'rewritten']
  const expiresAt = Date.now() + lifeMs
  for (const key of keys) await set(store, key, key === 'increment' ? counter(5) : value(1), { expiresAt })
  await set(store, 'lasting', value(1), { expiresAt: Date.now() + farMs })
  await set(store, 'rewritten', value(2))
  if (Date.now() < expiresAt - 50)
    assertSame(await readValue(store, 'read'), value(1), 'before its time the record is there')
  await pause(expiresAt - Date.now() + 50 + precisionMs)

  assert.equal(await readEntry(store, 'read'), undefined, 'expired')
  assertAllSame(await readValues(store, ['lasting', 'rewritten']), [value(1), value(2)], 'what lives on')
  if (capabilities.scan !== false) assertSameKeys(await scanKeys(store), ['lasting', 'rewritten'])
  if (capabilities.conditionalWrite) await set(store, 'condition', value(2), { ifVersion: null })
  await set(store, 'keep', value(3), { expiresAt: 'keep' })
  assert.equal((await presentEntry(store, 'keep')).expiresAt, undefined, 'an expired expiry is not kept')
  if (capabilities.touch) await assertTouchRefused(store, 'touch')
  if (capabilities.increment) {
    const result = await mutate(store, {
      type: 'increment',
      key: 'increment',
      by: 1,
      initial: 0,
      version: newVersion(),
    })
    assert.ok(isWritten(result) && result.value === 1, 'an expired counter starts anew')
  }
}

async function assertTouchRefused(store: Store<unknown>, key: string): Promise<void> {
  const result = await mutate(store, {
    type: 'touch',
    key,
    version: newVersion(),
    expiresAt: Date.now() + farMs,
  })
  assertRefused(result, 'an expired record cannot be touched')
  assert.equal(await readEntry(store, key), undefined)
}

/** The expiry is what was asked for, as exactly as the store declares. */
export function assertExpiresAt({ capabilities }: Fixture, actual: number | undefined, wanted: number): void {
  const { precisionMs } = capabilities.ttl as { precisionMs: number }
  assert.ok(actual !== undefined, 'the record has an expiry')
  assert.ok(
    Math.abs(actual - wanted) <= precisionMs,
    `the expiry is ${wanted} within ${precisionMs} ms, not ${actual}`,
  )
}

/** The expiry is about this, where time may have passed in between. */
function assertNear(actual: number | undefined, wanted: number): void {
  assert.ok(
    actual !== undefined && Math.abs(actual - wanted) <= 60_000,
    `the expiry is about ${wanted}, not ${actual}`,
  )
}

/** Let what goes on in the background come to an end. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
}
