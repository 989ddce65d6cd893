import assert from 'node:assert/strict'
import { assertAllSame, rejectsWith } from '../assertions.ts'
import type { Fixture } from '../fixture.ts'
import { atomic, not, type Topic } from '../topic.ts'
import { assertWritten, presentEntry, readValues, setAll } from '../verbs.ts'

const cut = not(atomic)

const ten = Array.from({ length: 10 }, (_, i) => `key ${i}`)

export const keyValueBatches: Topic = {
  title: 'batches of KeyValue',
  cases: [
    {
      title: 'KeyValue cuts reads that are larger than the store takes',
      run: async (t) => {
        const { kv, probe } = narrowed(t)
        await setAll(
          t.store,
          twenty.map((key, i) => [key, t.value(i)]),
        )
        assertAllSame(await kv.getMany([...twenty, 'absent']), [
          ...twenty.map((_, i) => t.value(i)),
          undefined,
        ])
        assertWithin(probe.sizes)
      },
    },
    {
      title: 'KeyValue cuts writes that are larger than the store takes',
      needs: [cut],
      run: async (t) => {
        const { kv, probe } = narrowed(t)
        const results = await kv.setMany(twenty.map((key, i) => [key, t.value(i)]))
        assert.equal(results.length, 20)
        for (const result of results) assertWritten(result)
        assertAllSame(
          await readValues(t.store, twenty),
          twenty.map((_, i) => t.value(i)),
        )
        for (const result of await kv.deleteMany(twenty)) assertWritten(result)
        assertAllSame(
          await readValues(t.store, twenty),
          twenty.map(() => undefined),
        )
        assertWithin(probe.sizes)
      },
    },
    {
      title: 'KeyValue refuses a write that an atomic store would have to cut',
      needs: [atomic],
      run: async (t) => {
        const { kv, probe } = narrowed(t)
        await rejectsWith('INVALID_ARGUMENT', () => kv.setMany(twenty.map((key, i) => [key, t.value(i)])))
        assert.equal(probe.calls, 0, 'nothing was sent')
        assertAllSame(
          await readValues(t.store, twenty),
          twenty.map(() => undefined),
        )
      },
    },
    {
      title: 'KeyValue answers many sets and deletes item by item with versions',
      run: async ({ kv, store, value }) => {
        const written = await kv.setMany(ten.map((key, i) => [key, value(i)]))
        for (const [i, key] of ten.entries()) {
          assert.equal(
            assertWritten(written[i] as Exclude<(typeof written)[number], undefined>).version,
            (await presentEntry(store, key)).version,
          )
        }
        const removed = await kv.deleteMany([...ten, 'absent'])
        assert.equal(removed.length, 11)
        for (const result of removed) assertWritten(result)
        assertAllSame(
          await kv.getMany(ten),
          ten.map(() => undefined),
        )
      },
    },
    {
      title: 'an empty batch has no results, and a key twice is read twice and not written',
      run: async ({ kv, value }) => {
        assert.deepEqual(await kv.getMany([]), [])
        assert.deepEqual(await kv.setMany([]), [])
        assert.deepEqual(await kv.deleteMany([]), [])
        await rejectsWith('INVALID_ARGUMENT', () =>
          kv.setMany([
            ['a', value(1)],
            ['a', value(2)],
          ]),
        )
        await rejectsWith('INVALID_ARGUMENT', () => kv.deleteMany(['a', 'a']))
        await kv.set('b', value(1))
        assertAllSame(await kv.getMany(['a', 'b', 'a', 'b', 'b']), [
          undefined,
          value(1),
          undefined,
          value(1),
          value(1),
        ])
      },
    },
  ],
}

const twenty = Array.from({ length: 20 }, (_, i) => `many ${i}`)

/** The store with small limits, as a store of another server might have them. */
function narrowed(t: Fixture) {
  const batch = { ...t.capabilities.batch, maxItems: 7, maxBytes: 100_000 }
  const probe = t.observed({ batch })
  return { probe, kv: t.keyValue(probe.store) }
}

function assertWithin(sizes: readonly number[]): void {
  assert.ok(Math.max(...sizes) <= 7, `no call has more than 7 items: ${sizes.join(', ')}`)
}
