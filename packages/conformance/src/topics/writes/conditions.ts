import assert from 'node:assert/strict'
import { isConditionFailed, newVersion, remove as removeRecord, type Version } from '@unikv/core'
import { assertSame, rejectsWith } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import { conditionalWrite, type Topic, ttl } from '../../topic.ts'
import { assertRefused, mutate, presentEntry, readEntry, remove, type SetExtra, set } from '../../verbs.ts'

export const conditions: Topic = {
  title: 'conditions',
  cases: [
    {
      title: 'a set of the present version takes effect, and one of any other does not',
      needs: [conditionalWrite],
      run: async (t) => {
        const first = await set(t.store, 'key', t.value(1))
        const second = await set(t.store, 'key', t.value(2), { ifVersion: first })
        await assertSetRefused(t, { ifVersion: first }, 'an earlier version')
        await assertSetRefused(t, { ifVersion: newVersion() }, 'a version that never was')
        const entry = await presentEntry(t.store, 'key')
        assertSame(entry.value, t.value(2))
        assert.equal(entry.version, second)
      },
    },
    {
      title: 'a set of a version of an absent key does not make it',
      needs: [conditionalWrite],
      run: async (t) => {
        await assertSetRefused(t, { ifVersion: newVersion() }, 'an absent key')
        assert.equal(await readEntry(t.store, 'key'), undefined)
      },
    },
    {
      title: 'a set of a new key takes effect once',
      needs: [conditionalWrite],
      run: async (t) => {
        const version = await set(t.store, 'key', t.value(1), { ifVersion: null })
        await assertSetRefused(t, { ifVersion: null }, 'a key that is there')
        const entry = await presentEntry(t.store, 'key')
        assertSame(entry.value, t.value(1))
        assert.equal(entry.version, version)
      },
    },
    {
      title: 'a set of a new key takes effect again after a delete',
      needs: [conditionalWrite],
      run: async ({ store, value }) => {
        await set(store, 'key', value(1), { ifVersion: null })
        await remove(store, 'key')
        await set(store, 'key', value(2), { ifVersion: null })
        assertSame((await presentEntry(store, 'key')).value, value(2))
      },
    },
    {
      title: 'a version from before a delete never matches the record that was made after it',
      needs: [conditionalWrite],
      run: async (t) => {
        const first = await set(t.store, 'key', t.value(1))
        await remove(t.store, 'key')
        await set(t.store, 'key', t.value(1))
        await assertSetRefused(t, { ifVersion: first }, 'the version of the deleted record')
        await assertDeleteRefused(t, first, 'the version of the deleted record')
        assertSame((await presentEntry(t.store, 'key')).value, t.value(1))
      },
    },
    {
      title: 'a delete of the present version takes effect, and one of any other does not',
      needs: [conditionalWrite],
      run: async (t) => {
        const first = await set(t.store, 'key', t.value(1))
        const second = await set(t.store, 'key', t.value(2))
        await assertDeleteRefused(t, first, 'an earlier version')
        assertSame((await presentEntry(t.store, 'key')).value, t.value(2))
        await remove(t.store, 'key', second)
        assert.equal(await readEntry(t.store, 'key'), undefined)
        await assertDeleteRefused(t, second, 'a deleted key')
      },
    },
    {
      title: 'a refusal tells the version that is there, if it tells one',
      needs: [conditionalWrite],
      run: async ({ store, value }) => {
        const version = await set(store, 'key', value(1))
        for (const ifVersion of [null, newVersion()]) {
          const result = await mutate(store, {
            type: 'set',
            key: 'key',
            value: value(2),
            version: newVersion(),
            ifVersion,
          })
          assert.ok(isConditionFailed(result))
          assert.ok(result.version === undefined || result.version === version)
        }
      },
    },
    {
      title: 'a refused set changes no expiry',
      needs: [conditionalWrite, ttl],
      run: async (t) => {
        const expiresAt = t.now() + 10_000_000
        await set(t.store, 'key', t.value(1), { expiresAt })
        const before = await presentEntry(t.store, 'key')
        await assertSetRefused(
          t,
          { ifVersion: newVersion(), expiresAt: t.now() + 1_000_000 },
          'another version',
        )
        await assertSetRefused(t, { ifVersion: null }, 'a key that is there')
        assert.equal((await presentEntry(t.store, 'key')).expiresAt, before.expiresAt)
      },
    },
    {
      title: 'KeyValue rejects with CONDITION_FAILED and changes nothing',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        const { version: first } = await kv.set('key', value(1), { ifVersion: null })
        const { version: second } = await kv.set('key', value(2), { ifVersion: first })
        await rejectsWith('CONDITION_FAILED', () => kv.set('key', value(3), { ifVersion: first }))
        await rejectsWith('CONDITION_FAILED', () => kv.set('key', value(3), { ifVersion: null }))
        await rejectsWith('CONDITION_FAILED', () => kv.delete('key', { ifVersion: first }))
        assertSame(await kv.get('key'), value(2))
        await kv.delete('key', { ifVersion: second })
        assert.equal(await kv.has('key'), false)
      },
    },
    {
      title: 'update makes, changes, leaves and removes a record',
      needs: [conditionalWrite],
      run: async ({ kv, value }) => {
        assertSame(
          await kv.update('key', (present) => (present === undefined ? value(1) : value(9))),
          value(1),
        )
        const before = await kv.getEntry('key')
        await kv.update('key', () => undefined)
        assert.equal((await kv.getEntry('key'))?.version, before?.version, 'undefined leaves the record')
        assertSame(
          await kv.update('key', (present) => (present === undefined ? value(9) : value(2))),
          value(2),
        )
        assertSame(await kv.get('key'), value(2))
        assert.equal(await kv.update('key', () => removeRecord), undefined)
        assert.equal(await kv.has('key'), false)
      },
    },
  ],
}

async function assertSetRefused({ store, value }: Fixture, extra: SetExtra, what: string): Promise<void> {
  const result = await mutate(store, {
    type: 'set',
    key: 'key',
    value: value(99),
    version: newVersion(),
    ...extra,
  })
  assertRefused(result, `a conditional set is refused: ${what}`)
}

async function assertDeleteRefused({ store }: Fixture, ifVersion: Version, what: string): Promise<void> {
  const result = await mutate(store, { type: 'delete', key: 'key', version: newVersion(), ifVersion })
  assertRefused(result, `a conditional delete is refused: ${what}`)
}
