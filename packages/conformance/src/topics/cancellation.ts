import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { isStoreError } from '@unikv/core'
import { assertSame, isSame, rejectsWith } from '../assertions.ts'
import type { AnyKeyValue, Fixture } from '../fixture.ts'
import { scan, type Topic } from '../topic.ts'
import { assertCount, collect, readValue } from '../verbs.ts'

const shortMs = 40

export const cancellation: Topic = {
  title: 'cancellation and deadlines',
  cases: [
    {
      title: 'a call whose signal was aborted before is ABORTED and asks the store nothing',
      run: async (t) => {
        const { probe, kv } = held(t)
        const reason = new Error('enough')
        const signal = AbortSignal.abort(reason)
        for (const run of everyCall(t, kv, { signal })) {
          const error = await rejectsWith('ABORTED', run)
          assert.equal(error.cause, reason, 'the reason is the cause')
        }
        assert.equal(probe.calls, 0, 'nothing was sent')
      },
    },
    {
      title: 'a listing whose signal was aborted is ABORTED, before and between pages',
      needs: [scan],
      run: async (t) => {
        await t.kv.setMany(['a', 'b', 'c', 'd'].map((key, i) => [key, t.value(i)]))
        await rejectsWith('ABORTED', () => collect(t.kv.keys({ signal: AbortSignal.abort() })))
        const controller = new AbortController()
        await rejectsWith('ABORTED', async () => {
          for await (const { items } of t.kv.keys({ signal: controller.signal, pageSize: 1 }).pages()) {
            assert.ok(items.length <= 1)
            controller.abort()
          }
        })
        assertCount(t.kv, await t.kv.count(), 4)
      },
    },
    {
      title: 'an abort ends a read that waits, at once',
      run: async (t) => {
        const { probe, kv } = held(t)
        const controller = new AbortController()
        for (const run of [
          () => kv.get('key', { signal: controller.signal }),
          () => kv.has('key', { signal: controller.signal }),
          () => kv.getMany(['key', 'b'], { signal: controller.signal }),
        ]) {
          const ended = rejectsWith('ABORTED', run)
          setImmediate(() => controller.abort())
          await ended
        }
        probe.release()
        assert.equal(await kv.get('key'), undefined)
      },
    },
    {
      title: 'an abort of a write under way tells that its outcome is unknown, or that it was not sent',
      run: async (t) => {
        const { probe, kv } = held(t)
        const controller = new AbortController()
        const ended = rejectsWith(['OUTCOME_UNKNOWN', 'ABORTED'], () =>
          kv.set('key', t.value(1), { signal: controller.signal }),
        )
        setImmediate(() => controller.abort())
        const { code } = await ended
        probe.release()
        await pauseFor(t)
        const found = await readValue(t.store, 'key')
        if (code === 'ABORTED') assert.equal(found, undefined, 'ABORTED is certainly not applied')
        else if (found !== undefined) assertSame(found, t.value(1))
      },
    },
    {
      title: 'an abort of a write that waits for its turn means that it is never applied',
      run: async (t) => {
        const { probe, kv } = held(t)
        const first = kv.set('key', t.value(1))
        const controller = new AbortController()
        const second = rejectsWith('ABORTED', () => kv.set('key', t.value(2), { signal: controller.signal }))
        setImmediate(() => controller.abort())
        await second
        probe.release()
        await first
        await pauseFor(t)
        assertSame(await readValue(t.store, 'key'), t.value(1))
      },
    },
    {
      title: 'a write that was given up on its way does not undo a later one',
      run: async (t) => {
        const { probe, kv } = held(t)
        const controller = new AbortController()
        const first = rejectsWith(['OUTCOME_UNKNOWN', 'ABORTED'], () =>
          kv.set('key', t.value(1), { signal: controller.signal }),
        )
        setImmediate(() => controller.abort())
        await first
        probe.pass()
        const second = kv.set('key', t.value(2))
        await new Promise((resolve) => setImmediate(resolve))
        probe.release()
        await second
        await pauseFor(t)
        assertSame(await readValue(t.store, 'key'), t.value(2))
      },
    },
    {
      title: 'an abort detaches its caller alone',
      run: async (t) => {
        const { probe, kv } = held(t)
        const controller = new AbortController()
        const first = kv.get('other')
        const writes = ['a', 'b', 'c'].map((key, i) => kv.set(key, t.value(i)))
        const reads = [kv.get('d'), kv.get('d')]
        const detached = [
          rejectsWith(['ABORTED', 'OUTCOME_UNKNOWN'], () =>
            kv.set('e', t.value(9), { signal: controller.signal }),
          ),
          rejectsWith('ABORTED', () => kv.get('d', { signal: controller.signal })),
        ]
        setImmediate(() => controller.abort())
        await Promise.all(detached)
        probe.release()
        await Promise.all([first, ...writes])
        assert.deepEqual(await Promise.all(reads), [undefined, undefined])
        for (const [i, key] of ['a', 'b', 'c'].entries())
          assertSame(await readValue(t.store, key), t.value(i))
      },
    },
    {
      title: 'a read ends with TIMEOUT at its deadline, and the store is as usable as before',
      run: async (t) => {
        const { probe, kv } = held(t)
        const timeoutMs = shortMs
        await Promise.all([
          rejectsWith('TIMEOUT', () => kv.get('key', { timeoutMs })),
          rejectsWith('TIMEOUT', () => kv.has('key', { timeoutMs })),
          rejectsWith('TIMEOUT', () => kv.getMany(['a', 'b'], { timeoutMs })),
        ])
        probe.release()
        await kv.set('key', t.value(1))
        assertSame(await kv.get('key'), t.value(1))
      },
    },
    {
      title: 'a listing ends with TIMEOUT when its page does not come',
      needs: [scan],
      run: async (t) => {
        const { probe, kv } = held(t)
        await rejectsWith('TIMEOUT', () => collect(kv.keys({ timeoutMs: shortMs })))
        await rejectsWith('TIMEOUT', () => kv.count({ timeoutMs: shortMs }))
        probe.release()
        assert.deepEqual(await collect(kv.keys()), [])
      },
    },
    {
      title: 'a write ends at its deadline with OUTCOME_UNKNOWN if it was sent, with TIMEOUT if it was not',
      run: async (t) => {
        const { probe, kv } = held(t)
        const sent = rejectsWith('OUTCOME_UNKNOWN', () =>
          kv.set('key', t.value(1), { timeoutMs: 3 * shortMs }),
        )
        const waiting = rejectsWith('TIMEOUT', () => kv.set('key', t.value(2), { timeoutMs: shortMs }))
        await Promise.all([sent, waiting])
        probe.release()
        await pauseFor(t)
        const found = await readValue(t.store, 'key')
        if (found !== undefined) assertSame(found, t.value(1), 'what ended with TIMEOUT was not applied')
      },
    },
    {
      title: 'calls that ended leave nothing on their signal',
      run: async (t) => {
        const { signal } = new AbortController()
        await Promise.all(Array.from({ length: 20 }, (_, i) => t.kv.set(`key ${i}`, t.value(i), { signal })))
        await Promise.all(Array.from({ length: 20 }, (_, i) => t.kv.get(`key ${i}`, { signal })))
        await t.kv.getMany(['key 1', 'key 2'], { signal })
        assert.equal(getEventListeners(signal, 'abort').length, 0)
      },
    },
    {
      title: 'aborts at any moment leave each record whole and the store usable',
      run: async (t) => {
        const givenUp = 20
        for (let n = 0; n < givenUp; n++) {
          const controller = new AbortController()
          const set = t.kv.set('key', t.value(n), { signal: controller.signal }).catch((error: unknown) => {
            assert.ok(isStoreError(error) && ['ABORTED', 'OUTCOME_UNKNOWN'].includes(error.code))
          })
          const get = t.kv
            .get('key', { signal: controller.signal })
            .catch((error: unknown) => assert.ok(isStoreError(error) && error.code === 'ABORTED'))
          for (let ticks = n % 5; ticks > 0; ticks--) await new Promise((resolve) => setImmediate(resolve))
          controller.abort()
          await Promise.all([set, get])
        }
        await pauseFor(t)
        // On a slow server what was given up still arrives after the next write, each at most once.
        const values = Array.from({ length: givenUp }, (_, n) => t.value(n))
        for (let arrived = 0; ; arrived++) {
          await t.kv.set('key', t.value(100))
          const found = await t.kv.get('key')
          if (arrived === givenUp || !values.some((value) => isSame(found, value))) {
            assertSame(found, t.value(100))
            return
          }
        }
      },
    },
    {
      title: 'a bad timeout is refused before the store is asked',
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        for (const timeoutMs of [0, -1, Number.NaN, '5' as unknown as number]) {
          for (const run of everyCall(t, kv, { timeoutMs })) await rejectsWith('INVALID_ARGUMENT', run)
        }
        assert.equal(probe.calls, 0)
      },
    },
  ],
}

/** A KeyValue over the store that keeps every call waiting. */
function held(t: Fixture) {
  const probe = t.observed()
  probe.hold()
  return { probe, kv: t.keyValue(probe.store) }
}

function everyCall({ value }: Fixture, kv: AnyKeyValue, settings: object): (() => Promise<unknown>)[] {
  return [
    () => kv.get('key', settings),
    () => kv.getEntry('key', settings),
    () => kv.has('key', settings),
    () => kv.getMany(['a', 'b'], settings),
    () => kv.set('key', value(1), settings),
    () => kv.setMany([['a', value(1)]], settings),
    () => kv.delete('key', settings),
    () => kv.deleteMany(['a'], settings),
  ]
}

/** Let calls whose callers are gone come to their end. */
async function pauseFor({ store }: Fixture): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
  await readValue(store, 'key')
}
