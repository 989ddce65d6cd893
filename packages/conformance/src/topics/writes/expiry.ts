import assert from 'node:assert/strict'
import { newVersion, type Version } from '@unikv/core'
import { assertAllSame, assertSame, assertSameKeys } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import { conditionalRead, conditionalWrite, scan, type Topic, ttl } from '../../topic.ts'
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
} from '../../verbs.ts'

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
      title: 'a set whose expiry has passed replaces what was there',
      needs: [ttl],
      run: async (t) => {
        await set(t.store, 'key', t.value(1))
        await set(t.store, 'key', t.value(2), { expiresAt: t.now() - farMs })
        await set(t.store, 'new', t.value(2), { expiresAt: t.now() - farMs })
        assertAllSame(await readValues(t.store, ['key', 'new']), [undefined, undefined])
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
        const on = (ifVersion: Version | null) => ({ key: 'key', version: newVersion(), ifVersion })
        for (const late of [
          { type: 'set', value: value(2), ...on(version) },
          { type: 'delete', ...on(version) },
        ] as const)
          assertRefused(await mutate(store, late), 'the version of an expired record does not match')
        assertWritten(await mutate(store, { type: 'delete', ...on(null) }))
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
        for (let n = 0; n < 5; n++) {
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
  ],
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

/** Let what goes on in the background come to an end. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
}
