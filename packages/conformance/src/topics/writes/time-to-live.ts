import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isWritten, newVersion, type Store } from '@unikv/core'
import { assertAllSame, assertSame, assertSameKeys } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import type { TestClock } from '../../options.ts'
import { clock, conditionalWrite, not, type Topic, ttl } from '../../topic.ts'
import {
  assertRefused,
  mutate,
  presentEntry,
  readEntry,
  readValue,
  readValues,
  scanKeys,
  set,
} from '../../verbs.ts'

const farMs = 10_000_000

export const timeToLive: Topic = {
  title: 'time to live',
  cases: [
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
  const first = (key: string) => (key === 'increment' && capabilities.increment ? counter(5) : value(1))
  for (const key of keys) await set(store, key, first(key), { expiresAt })
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

/** The expiry is about this, where time may have passed in between. */
function assertNear(actual: number | undefined, wanted: number): void {
  assert.ok(
    actual !== undefined && Math.abs(actual - wanted) <= 60_000,
    `the expiry is about ${wanted}, not ${actual}`,
  )
}
