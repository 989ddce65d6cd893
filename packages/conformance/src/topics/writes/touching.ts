import assert from 'node:assert/strict'
import { isConditionFailed, isWritten, newVersion, type WriteResult } from '@unikv/core'
import { assertSame, rejectsWith } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import { conditionalWrite, scan, type Topic, touch, ttl } from '../../topic.ts'
import {
  assertRefused,
  assertWritten,
  mutate,
  presentEntry,
  readEntry,
  scanKeys,
  set,
  writeTogether,
} from '../../verbs.ts'
import { assertExpiresAt } from './expiry.ts'

const farMs = 10_000_000

export const touching: Topic = {
  title: 'touch',
  cases: [
    {
      title: 'a touch changes the expiry and keeps value and version',
      needs: [touch, ttl],
      run: async (t) => {
        const version = await set(t.store, 'key', t.value(1), { expiresAt: t.now() + farMs })
        const expiresAt = t.now() + 3 * farMs
        const result = assertWritten(await touchTo(t, 'key', expiresAt))
        assert.equal(result.version, version, 'the answer tells the version that the record still has')
        const entry = await presentEntry(t.store, 'key')
        assertSame(entry.value, t.value(1))
        assert.equal(entry.version, version)
        assertExpiresAt(t, entry.expiresAt, expiresAt)
      },
    },
    {
      title: 'a touch gives an expiry to a record without one, and takes it away again',
      needs: [touch, ttl],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        await set(t.store, 'key', t.value(1))
        assertWritten(await touchTo(t, 'key', expiresAt))
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
        assertWritten(await touchTo(t, 'key', undefined))
        const entry = await presentEntry(t.store, 'key')
        assert.equal(entry.expiresAt, undefined)
        assertSame(entry.value, t.value(1))
      },
    },
    {
      title: 'a touch of an absent or expired record is refused and makes nothing',
      needs: [touch, ttl],
      run: async (t) => {
        assertRefused(await touchTo(t, 'absent', t.now() + farMs), 'an absent key')
        await t.expired((expiresAt) => set(t.store, 'expired', t.value(1), { expiresAt }))
        assertRefused(await touchTo(t, 'expired', t.now() + farMs), 'an expired record')
        assertRefused(await touchTo(t, 'expired', undefined), 'an expired record')
        for (const key of ['absent', 'expired']) assert.equal(await readEntry(t.store, key), undefined)
      },
    },
    {
      title: 'a touch that ends the life of a record makes it absent',
      needs: [touch, ttl, scan],
      run: async (t) => {
        await set(t.store, 'key', t.value(1))
        await t.expired(async (expiresAt) => assertWritten(await touchTo(t, 'key', expiresAt)))
        assert.equal(await readEntry(t.store, 'key'), undefined)
        assert.deepEqual(await scanKeys(t.store), [])
      },
    },
    {
      title: 'a touch under a condition takes effect for the present version alone',
      needs: [touch, ttl, conditionalWrite],
      run: async (t) => {
        const expiresAt = t.now() + farMs
        const version = await set(t.store, 'key', t.value(1))
        assertRefused(await touchTo(t, 'key', expiresAt, newVersion()), 'another version')
        assert.equal((await presentEntry(t.store, 'key')).expiresAt, undefined)
        assertWritten(await touchTo(t, 'key', expiresAt, version))
        assertExpiresAt(t, (await presentEntry(t.store, 'key')).expiresAt, expiresAt)
      },
    },
    {
      title: 'touches at the same time as writes bring no earlier value back',
      needs: [touch, ttl],
      run: async (t) => {
        const second = await t.reopened()
        for (let n = 0; n < 8; n++) {
          await set(t.store, 'key', t.value(0))
          const version = newVersion()
          const touches = [touchTo(t, 'key', t.now() + farMs)]
          const write = mutate(second, { type: 'set', key: 'key', value: t.value(n + 1), version })
          if (n % 2 === 0) touches.push(touchTo(t, 'key', t.now() + 2 * farMs))
          await Promise.all([...touches, write])
          const entry = await presentEntry(t.store, 'key')
          assertSame(entry.value, t.value(n + 1), `round ${n}`)
          assert.equal(entry.version, version)
        }
      },
    },
    {
      title: 'touches at the same time as deletes bring nothing back',
      needs: [touch, ttl],
      run: async (t) => {
        const second = await t.reopened()
        for (let n = 0; n < 8; n++) {
          await set(t.store, 'key', t.value(0))
          const early = [1, 2].map((life) => touchTo(t, 'key', t.now() + life * farMs))
          const remove = mutate(second, { type: 'delete', key: 'key', version: newVersion() })
          const late = [3, 4].map((life) => touchTo(t, 'key', t.now() + life * farMs))
          await Promise.all([...early, remove, ...late])
          assert.equal(await readEntry(t.store, 'key'), undefined, `round ${n}`)
        }
      },
    },
    {
      title: 'a batch of touches answers for each key',
      needs: [touch, ttl],
      run: async (t) => {
        const versions = [await set(t.store, 'a', t.value(1)), undefined, await set(t.store, 'c', t.value(3))]
        const expiresAt = t.now() + farMs
        const batch = ['a', 'b', 'c'].map(
          (key) => ({ type: 'touch', key, version: newVersion(), expiresAt }) as const,
        )
        const results = await writeTogether(t.store, batch)
        assert.equal(results.length, 3)
        assert.ok(isConditionFailed(results[1] as WriteResult), 'the absent one is refused')
        for (const i of [0, 2]) {
          const key = ['a', 'b', 'c'][i] as string
          const entry = await presentEntry(t.store, key)
          const took = isWritten(results[i] as WriteResult)
          assert.equal(entry.version, versions[i])
          assert.equal(entry.expiresAt !== undefined, took, `what is answered for ${key} is what was done`)
        }
      },
    },
    {
      title: 'KeyValue touches a key, tells whether it was there, and refuses a bad time to live',
      needs: [touch, ttl],
      run: async ({ kv, value }) => {
        const { version } = await kv.set('key', value(1))
        assert.equal(await kv.touch('key', { ttlMs: farMs }), true)
        const entry = await kv.getEntry('key')
        assert.equal(entry?.version, version)
        assert.ok(entry?.expiresAt !== undefined)
        assert.equal(await kv.touch('key', { ttlMs: undefined }), true)
        assert.equal((await kv.getEntry('key'))?.expiresAt, undefined)
        assert.equal(await kv.touch('absent', { ttlMs: farMs }), false)
        for (const ttlMs of [0, -1, Number.NaN]) {
          await rejectsWith('INVALID_ARGUMENT', () => kv.touch('key', { ttlMs }))
        }
      },
    },
  ],
}

function touchTo(
  { store }: Fixture,
  key: string,
  expiresAt: number | undefined,
  ifVersion?: string,
): Promise<WriteResult> {
  return mutate(store, { type: 'touch', key, version: newVersion(), expiresAt, ifVersion })
}
