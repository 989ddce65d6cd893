import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError } from '@unikv/core'
import { adapterOf, within } from '@unikv/core/adapter'
import { assertAllSame, assertSame, rejectsWith } from '../assertions.ts'
import type { AnyKeyValue, Fixture } from '../fixture.ts'
import { activeResources, assertReleased } from '../resources.ts'
import { reopen, type Topic } from '../topic.ts'
import { collect, readValue, readValues, set } from '../verbs.ts'

const forty = Array.from({ length: 40 }, (_, i) => `key ${i}`)

export const lifecycle: Topic = {
  title: 'lifecycle',
  cases: [
    {
      title: 'a store that was never used can be closed, twice, and twice at once',
      run: async ({ store, kv, another }) => {
        await kv.close()
        await kv.close()
        await store.close()
        const other = await another()
        await Promise.all([other.close(), other.close()])
        await other.close()
      },
    },
    {
      title: 'a store that was used can be closed, twice, and twice at once',
      run: async ({ store, kv, value }) => {
        await kv.set('key', value(1))
        await Promise.all([kv.close(), kv.close(), store.close()])
        await kv.close()
        await store.close()
      },
    },
    {
      title: 'a store ends that is closed, twice at once, while calls are under way, and so do they',
      run: async ({ store, value }) => {
        await set(store, 'key 0', value(0))
        const calls = forty.flatMap((key, i) => [set(store, key, value(i)), readValue(store, key)])
        const closings = [store.close(), store.close()]
        const unexpected = (await Promise.allSettled(calls)).flatMap((outcome) =>
          outcome.status === 'rejected' && !isStoreError(outcome.reason) ? [outcome.reason] : [],
        )
        await Promise.all(closings)
        assert.deepEqual(unexpected, [], 'what is thrown is a StoreError')
      },
    },
    {
      title: 'every call after close is CLOSED and asks the store nothing',
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        const space = kv.namespace('space')
        await kv.set('key', t.value(1))
        await kv.close()
        const { calls } = probe
        for (const closed of [kv, space]) {
          await rejectsWith('CLOSED', () => closed.get('key'))
          await rejectsWith('CLOSED', () => closed.has('key'))
          await rejectsWith('CLOSED', () => closed.getMany(['key']))
          await rejectsWith('CLOSED', () => closed.set('key', t.value(2)))
          await rejectsWith('CLOSED', () => closed.setMany([['key', t.value(2)]]))
          await rejectsWith('CLOSED', () => closed.delete('key'))
          await rejectsWith('CLOSED', () => closed.deleteMany(['key']))
        }
        for (const run of declaredCalls(t, kv)) await rejectsWith('CLOSED', run)
        assert.equal(probe.calls, calls, 'nothing was sent')
      },
    },
    {
      title: 'statistics are numbers that are not negative, and CLOSED after close',
      run: async ({ store, kv, value }) => {
        const adapter = adapterOf(store)
        await kv.set('key', value(1))
        const told = await adapter.statistics?.(within(5000))
        for (const [name, figure] of Object.entries(told ?? {})) {
          if (figure === undefined) continue
          const isRight =
            name === 'version' || name === 'scope'
              ? typeof figure === 'string' && figure !== ''
              : Number.isFinite(figure) && figure >= 0
          assert.ok(isRight, `${name} is ${figure}`)
        }
        await kv.close()
        if (told !== undefined) await rejectsWith('CLOSED', async () => adapter.statistics?.(within(5000)))
      },
    },
    {
      title: 'close waits for the calls that began before it',
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        probe.hold()
        const sets = forty.map((key, i) => kv.set(key, t.value(i)))
        const gets = forty.map((key) => kv.get(key))
        let closed = false
        const closing = kv.close().then(() => {
          closed = true
        })
        await rejectsWith('CLOSED', () => kv.get('key'))
        await new Promise((resolve) => setImmediate(resolve))
        assert.equal(closed, false, 'close has not ended while calls are under way')
        probe.release()
        await Promise.all(sets)
        assertAllSame(
          await Promise.all(gets),
          forty.map((_, i) => t.value(i)),
        )
        await closing
      },
    },
    {
      title: 'a store names its dataset alike in each process, if it names one',
      needs: [reopen],
      run: async ({ store, reopened }) => {
        const { dataset } = await reopened()
        // A name that begins so stands for an object, and for a dataset that has no name.
        if (store.dataset?.startsWith('#') !== true) assert.equal(dataset, store.dataset)
      },
    },
    {
      title: 'what was acknowledged while the store closed is there for another instance',
      needs: [reopen],
      run: async (t) => {
        const second = await t.reopened()
        const sets = forty.map((key, i) => t.kv.set(key, t.value(i)))
        await t.kv.close()
        const outcomes = await Promise.allSettled(sets)
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          outcomes.map(() => 'fulfilled'),
        )
        assertAllSame(
          await readValues(second, forty),
          forty.map((_, i) => t.value(i)),
        )
      },
    },
    {
      title: 'a call that never ends is given up after the grace, and close ends',
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store, { graceMs: 50 })
        probe.hold()
        const ended = [
          rejectsWith('CLOSED', () => kv.get('key')),
          rejectsWith(['OUTCOME_UNKNOWN', 'CLOSED'], () => kv.set('other', t.value(1))),
        ]
        await kv.close()
        await Promise.all(ended)
        probe.release()
      },
    },
    {
      title: 'await using closes the store',
      run: async (t) => {
        let kept = t.kv
        {
          await using kv = t.keyValue()
          await kv.set('key', t.value(1))
          kept = kv
        }
        await rejectsWith('CLOSED', () => kept.get('key'))
      },
    },
    {
      title: 'closing one instance leaves the other open',
      needs: [reopen],
      run: async (t) => {
        const second = await t.reopened()
        await set(t.store, 'key', t.value(1))
        assertSame(await readValue(second, 'key'), t.value(1))
        await second.close()
        await set(t.store, 'key', t.value(2))
        assertSame(await readValue(t.store, 'key'), t.value(2))
      },
    },
    {
      title: 'data survives the close of the last instance',
      needs: [reopen, ({ capabilities }) => capabilities.durability !== 'memory'],
      run: async (t) => {
        await set(t.store, 'key', t.value(1))
        await t.store.close()
        assertSame(await readValue(await t.reopened(), 'key'), t.value(1))
      },
    },
    {
      title: 'the verbs of a closed store settle',
      run: async ({ store, value, kv, patienceMs }) => {
        await kv.set('key', value(1))
        await store.close()
        const attempts = [() => readValue(store, 'key'), () => set(store, 'key', value(2))].map(
          async (run) => {
            await run().catch((error: unknown) =>
              assert.ok(isStoreError(error), 'what is thrown is a StoreError'),
            )
            return true
          },
        )
        const settled = await Promise.race([
          Promise.all(attempts),
          pause(patienceMs, 'still waiting', { ref: false }),
        ])
        assert.notEqual(settled, 'still waiting')
      },
    },
    {
      title: 'an open, used and closed store leaves nothing that keeps the process alive',
      run: async (t) => {
        await use(t)
        const before = activeResources()
        for (let i = 0; i < 3; i++) await use(t)
        await assertReleased(before, t.patienceMs)
      },
    },
  ],
}

/** Operations that not every store has. */
function declaredCalls({ capabilities, value }: Fixture, kv: AnyKeyValue): (() => unknown)[] {
  return [
    ...(capabilities.scan === false ? [] : listings(kv)),
    ...(capabilities.touch ? [() => kv.touch('key', { ttlMs: 1_000 })] : []),
    ...(capabilities.increment ? [() => kv.increment('key')] : []),
    ...(capabilities.conditionalWrite ? [() => kv.update('key', () => value(1))] : []),
  ]
}

function listings(kv: AnyKeyValue): (() => unknown)[] {
  return [
    () => collect(kv.keys()),
    () => collect(kv.entries()),
    () => kv.count(),
    () => kv.clear({ all: true }),
  ]
}

async function use(t: Fixture): Promise<void> {
  const kv = t.keyValue(await t.another())
  await Promise.all(forty.slice(0, 5).map((key, i) => kv.set(key, t.value(i))))
  await kv.get('key 0')
  if (t.capabilities.scan !== false) await collect(kv.keys({ limit: 2, pageSize: 1 }))
  await kv.close()
}
