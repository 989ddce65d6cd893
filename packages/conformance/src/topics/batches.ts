import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isConditionFailed, isStoreError, type Mutation, newVersion } from '@unikv/core'
import { assertAllSame, assertSame } from '../assertions.ts'
import { random } from '../random.ts'
import { conditionalWrite, type Need, type Topic } from '../topic.ts'
import {
  assertWritten,
  call,
  readEntry,
  readValue,
  readValues,
  set,
  setAll,
  writeTogether,
} from '../verbs.ts'

/** A batch of ten goes out as one call. */
const ofTen: Need = ({ capabilities }) => capabilities.batch.maxItems >= 10
const ofHundred: Need = ({ capabilities }) => capabilities.batch.maxItems >= 100
const atomic: Need = ({ capabilities }) => capabilities.batch.atomicity === 'all'

const ten = keysOf(10)
/** As many as take a store longer to read than another call takes to commit. */
const hundred = keysOf(100)

export const batches: Topic = {
  title: 'batches',
  cases: [
    {
      title: 'results of a read are aligned with its keys, absent ones in between',
      needs: [ofTen],
      run: async ({ store, value }) => {
        const present = ten.filter((_, i) => i % 3 !== 1)
        await setAll(
          store,
          present.map((key) => [key, value(ten.indexOf(key))]),
        )
        const wanted = (key: string) => (present.includes(key) ? value(ten.indexOf(key)) : undefined)
        const { shuffle } = random(1)
        for (const order of [ten, ten.toReversed(), shuffle(ten), shuffle(ten), ten.slice(4, 5), present]) {
          assertAllSame(await readValues(store, order), order.map(wanted))
        }
      },
    },
    {
      title: 'a read of absent keys alone is as many times undefined',
      needs: [ofTen],
      run: async ({ store }) => {
        const results = await store.read(
          ten.map((key) => ({ key })),
          call(),
        )
        assert.deepEqual(
          [...results],
          ten.map(() => undefined),
        )
      },
    },
    {
      title: 'results of a write are aligned with its mutations',
      needs: [ofTen],
      run: async ({ store, value, stored }) => {
        await setAll(
          store,
          ten.map((key, i) => [key, value(i)]),
        )
        const { shuffle } = random(2)
        const mutations = shuffle(ten).map((key, i): Mutation<unknown> => {
          const version = newVersion()
          return i % 2 === 0
            ? { type: 'delete', key, version }
            : { type: 'set', key, version, value: value(100 + i) }
        })
        const results = await writeTogether(store, mutations)
        assert.deepEqual(
          results.map((result) => assertWritten(result).version),
          mutations.map(({ version }) => stored(version)),
        )
        for (const [i, { key, version }] of mutations.entries()) {
          const entry = await readEntry(store, key)
          assert.equal(entry?.version, i % 2 === 0 ? undefined : stored(version), `version of ${key}`)
          if (entry !== undefined) assertSame(entry.value, value(100 + i))
        }
      },
    },
    {
      title: 'each item of a batch is written: first, last, and all between',
      run: async ({ store, value }) => {
        for (const size of [1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 64, 65, 100]) {
          const keys = Array.from({ length: size }, (_, i) => `${size}:${i}`)
          await setAll(
            store,
            keys.map((key, i) => [key, value(i)]),
          )
          assertAllSame(
            await readValues(store, keys),
            keys.map((_, i) => value(i)),
            `batch of ${size}, item`,
          )
        }
      },
    },
    {
      title: 'values of very different sizes keep their places',
      needs: [({ bytes }) => bytes, ofTen],
      run: async ({ store }) => {
        const { bytes } = random(3)
        const values = [0, 5_000, 1, 20_000, 0, 3, 40_000, 2, 0, 100].map((size) => bytes(size))
        await setAll(
          store,
          ten.map((key, i) => [key, values[i]]),
        )
        assertAllSame(await readValues(store, ten), values)
      },
    },
    {
      title: 'batches that run at the same time do not mix their results',
      run: async ({ store, value }) => {
        const groups = Array.from({ length: 16 }, (_, g) => ten.map((key) => `${g} ${key}`))
        await Promise.all(
          groups.map((keys, g) =>
            setAll(
              store,
              keys.map((key, i) => [key, value(g * 10 + i)]),
            ),
          ),
        )
        const results = await Promise.all(groups.map((keys) => readValues(store, keys)))
        for (const [g, values] of results.entries())
          assertAllSame(
            values,
            ten.map((_, i) => value(g * 10 + i)),
            `batch ${g}, item`,
          )
      },
    },
    {
      title: 'batches over the same keys at the same time leave one of their values in each',
      run: async ({ store, value }) => {
        const writers = Array.from({ length: 12 }, (_, w) => w)
        await Promise.all(
          writers.map((w) =>
            setAll(
              store,
              ten.map((key, i) => [key, value(w * 10 + i)]),
            ),
          ),
        )
        for (const [i, key] of ten.entries()) {
          const found = await readValue(store, key)
          assert.ok(found !== undefined, `${key} is there`)
          assertSame(
            found,
            writers.map((w) => value(w * 10 + i)).find((wanted) => same(wanted, found)),
            `value of ${key}`,
          )
        }
      },
    },
    {
      title: 'what a batch of conditions answers is what it did',
      needs: [conditionalWrite, ofTen],
      run: async ({ store, value }) => {
        const versions = await Promise.all(ten.slice(0, 5).map((key, i) => set(store, key, value(i))))
        const mutations = ten.map((key, i): Mutation<unknown> => {
          const ifVersion =
            i < 5 ? (i % 2 === 0 ? versions[i] : newVersion()) : i % 2 === 0 ? null : newVersion()
          return { type: 'set', key, value: value(100 + i), version: newVersion(), ifVersion }
        })
        const results = await writeTogether(store, mutations)
        assert.equal(results.length, 10)
        for (const [i, result] of results.entries()) {
          if (i % 2 === 1) assert.ok(isConditionFailed(result), `item ${i} is refused`)
          const took = !isStoreError(result) && !isConditionFailed(result)
          const entry = await readEntry(store, ten[i] as string)
          assert.equal(entry?.version, took ? mutations[i]?.version : versions[i], `version of item ${i}`)
        }
      },
    },
    {
      title: 'no reader sees a part of an atomic batch',
      needs: [atomic, ofHundred],
      run: async ({ store, value }) => {
        await setAll(
          store,
          hundred.map((key) => [key, value(0)]),
        )
        let isWriting = true
        const writer = async () => {
          for (let n = 1; n <= 8; n++)
            await setAll(
              store,
              hundred.map((key) => [key, value(n)]),
            )
          isWriting = false
        }
        const reader = async () => {
          for (let n = 0; isWriting; n++) {
            // Stores that answer at once would leave the writer no turn.
            if (n % 4 === 3) await nextTurn()
            const [first, ...others] = await readValues(store, hundred)
            assertAllSame(
              others,
              others.map(() => first),
              'the value of every key is the same: item',
            )
          }
        }
        await Promise.all([writer(), reader(), reader()])
      },
    },
  ],
}

function keysOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `key ${i}`)
}

function same(a: unknown, b: unknown): boolean {
  try {
    assertSame(b, a)
    return true
  } catch {
    return false
  }
}
