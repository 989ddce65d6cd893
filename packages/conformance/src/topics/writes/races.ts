import assert from 'node:assert/strict'
import { isWritten, type Mutation, newVersion, type Store, type Version, type WriteResult } from '@unikv/core'
import { assertAllSame, assertSame } from '../../assertions.ts'
import type { AnyKeyValue, Fixture } from '../../fixture.ts'
import { bytes, conditionalWrite, versions as hasVersions, type Topic } from '../../topic.ts'
import { mutate, presentEntry, readEntry, readValue, readValues, set, setAll } from '../../verbs.ts'

const writers = Array.from({ length: 16 }, (_, i) => i)
const rounds = 3

export const races: Topic = {
  title: 'races',
  cases: [
    {
      title: 'writers of different keys at the same time lose nothing',
      run: async (t) => {
        const stores = await instances(t)
        const keys = writers.map((w) => `key ${w}`)
        for (let n = 0; n < rounds; n++) {
          await Promise.all(keys.map((key, w) => set(of(stores, w), key, t.value(n * 100 + w))))
          assertAllSame(
            await readValues(t.store, keys),
            writers.map((w) => t.value(n * 100 + w)),
            `round ${n}, value`,
          )
        }
      },
    },
    {
      title: 'writers of one key at the same time leave one of their values, with its version',
      needs: [hasVersions],
      run: async (t) => {
        const stores = await instances(t)
        for (let n = 0; n < rounds; n++) {
          const versions = await Promise.all(
            writers.map((w) => set(of(stores, w), 'key', t.value(n * 100 + w))),
          )
          const entry = await presentEntry(t.store, 'key')
          const last = versions.indexOf(entry.version as Version)
          assert.notEqual(last, -1, 'the version is of one of the writers')
          assertSame(entry.value, t.value(n * 100 + last), 'the value belongs to the version')
        }
      },
    },
    {
      title: 'readers see whole values while writers replace them',
      needs: [hasVersions],
      run: async (t) => {
        const stores = await instances(t)
        await set(t.store, 'key', t.value(0))
        const versions = new Map<Version | undefined, number>([
          [(await presentEntry(t.store, 'key')).version, 0],
        ])
        const write = async (n: number) => {
          const version = newVersion()
          versions.set(version, n)
          await mutate(of(stores, n), { type: 'set', key: 'key', value: t.value(n), version })
        }
        const read = async () => {
          const { value, version } = await presentEntry(t.store, 'key')
          assertSame(value, t.value(versions.get(version) as number), 'the value belongs to the version')
        }
        for (let n = 1; n <= 32; n += 4) {
          await Promise.all([
            write(n),
            read(),
            write(n + 1),
            read(),
            read(),
            write(n + 2),
            read(),
            write(n + 3),
          ])
        }
      },
    },
    {
      title: 'of sixteen writers that make a key one wins, and its value stays',
      needs: [conditionalWrite],
      run: async (t) => {
        for (let n = 0; n < rounds; n++) {
          const key = `key ${n}`
          // Over an expired record, which is as good as none.
          if (t.capabilities.ttl !== false && n % 2 === 1)
            await t.expired((expiresAt) => set(t.store, key, t.value(100), { expiresAt }))
          const winner = await race(t, (w) => setOf(t, key, w, null))
          assertSame(await readValue(t.store, key), t.value(winner))
        }
      },
    },
    {
      title: 'of sixteen writers that replace the same version one wins, round after round',
      needs: [conditionalWrite],
      run: async (t) => {
        let present = await set(t.store, 'key', t.value(100))
        for (let n = 0; n < rounds; n++) {
          const winner = await race(t, (w) => setOf(t, 'key', w, present))
          const entry = await presentEntry(t.store, 'key')
          assertSame(entry.value, t.value(winner))
          present = entry.version as Version
        }
      },
    },
    {
      title: 'of deletes and sets of the same version one wins',
      needs: [conditionalWrite],
      run: async (t) => {
        for (let n = 0; n < rounds; n++) {
          const key = `key ${n}`
          const present = await set(t.store, key, t.value(100))
          const winner = await race(t, (w) =>
            (w + n) % 2 === 0
              ? setOf(t, key, w, present)
              : { type: 'delete', key, version: newVersion(), ifVersion: present },
          )
          assertSame(await readValue(t.store, key), (winner + n) % 2 === 0 ? t.value(winner) : undefined)
        }
      },
    },
    {
      title: 'of a conditional and an unconditional writer neither is lost without a refusal',
      needs: [conditionalWrite],
      run: async (t) => {
        const [first, second] = await instances(t)
        for (let n = 0; n < rounds * 2; n++) {
          const present = await set(t.store, 'key', t.value(0))
          const conditional = setOf(t, 'key', 1, present)
          const plain = setOf(t, 'key', 2, undefined)
          const [result] = await Promise.all([mutate(first, conditional), mutate(second, plain)])
          const { version } = await presentEntry(t.store, 'key')
          // The plain set is last, unless the conditional one came after it: then its condition had failed.
          assert.equal(
            version,
            plain.version,
            `round ${n}: ${isWritten(result) ? 'both took effect' : 'one took effect'}`,
          )
        }
      },
    },
    {
      title: 'a counter by read and compare-and-set is exact',
      needs: [conditionalWrite, bytes],
      run: async (t) => {
        const stores = await instances(t)
        await set(t.store, 'counter', t.counter(0))
        await Promise.all(writers.map((w) => addOne(t, of(stores, w))))
        assertSame(await readValue(t.store, 'counter'), t.counter(writers.length))
      },
    },
    {
      title: 'a counter by update is exact over two instances',
      needs: [conditionalWrite, bytes],
      run: async (t) => {
        const [first, second] = (await instances(t)).map((store) => t.keyValue(store)) as [
          AnyKeyValue,
          AnyKeyValue,
        ]
        const next = (present: unknown) => t.counter(present === undefined ? 1 : numberOf(present) + 1)
        const add = (w: number) =>
          (w % 2 === 0 ? first : second).update('counter', next, { timeoutMs: 30_000 })
        for (let n = 0; n < 6; n++) await Promise.all([0, 1, 2, 3, 4].map(add))
        assertSame(await readValue(t.store, 'counter'), t.counter(30))
      },
    },
    {
      title: 'deletes and creations at the same time leave what the last of them left',
      needs: [conditionalWrite],
      run: async (t) => {
        const [first, second] = await instances(t)
        for (let n = 0; n < rounds; n++) {
          const present = await set(t.store, 'key', t.value(0))
          const [deleted, made] = await Promise.all([
            mutate(first, { type: 'delete', key: 'key', version: newVersion(), ifVersion: present }),
            mutate(second, setOf(t, 'key', 1, null)),
          ])
          assert.ok(isWritten(deleted), 'no other call changed that version')
          assertSame(await readValue(t.store, 'key'), isWritten(made) ? t.value(1) : undefined)
        }
      },
    },
    {
      title: 'batches and single writes at the same time lose nothing',
      run: async (t) => {
        const stores = await instances(t)
        const many = Array.from({ length: 40 }, (_, i) => `many ${i}`)
        await Promise.all([
          ...stores.map((store, s) =>
            setAll(
              store,
              many.filter((_, i) => i % stores.length === s).map((key) => [key, t.value(1)]),
            ),
          ),
          ...writers.map((w) => set(of(stores, w), `single ${w}`, t.value(2))),
        ])
        assertAllSame(
          await readValues(t.store, many),
          many.map(() => t.value(1)),
        )
        for (const w of writers) assertSame((await readEntry(t.store, `single ${w}`))?.value, t.value(2))
      },
    },
  ],
}

/** Two instances over one dataset, if there is such a thing. */
async function instances(t: Fixture): Promise<readonly [Store<unknown>, Store<unknown>]> {
  return [t.store, await t.reopened()]
}

function of(stores: readonly Store<unknown>[], n: number): Store<unknown> {
  return stores[n % stores.length] as Store<unknown>
}

function setOf(
  { value }: Fixture,
  key: string,
  n: number,
  ifVersion: Version | null | undefined,
): Mutation<unknown> {
  return { type: 'set', key, value: value(n), version: newVersion(), ifVersion }
}

/** Let all writers loose at once; exactly one takes effect. Returns which. */
async function race(t: Fixture, mutation: (writer: number) => Mutation<unknown>): Promise<number> {
  const stores = await instances(t)
  const results = await Promise.all(
    writers.map((w): Promise<WriteResult> => mutate(of(stores, w), mutation(w))),
  )
  const winners = writers.filter((w) => isWritten(results[w] as WriteResult))
  assert.deepEqual({ winners: winners.length }, { winners: 1 }, 'exactly one writer wins')
  return winners[0] as number
}

async function addOne(t: Fixture, store: Store<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const { value, version } = await presentEntry(store, 'counter')
    const mutation = {
      type: 'set',
      key: 'counter',
      value: t.counter(numberOf(value) + 1),
      version: newVersion(),
      ifVersion: version,
    } as const
    if (isWritten(await mutate(store, mutation))) return
  }
  assert.fail('a compare-and-set that is tried again and again succeeds at last')
}

function numberOf(value: unknown): number {
  return Number(value instanceof Uint8Array ? Buffer.from(value).toString() : value)
}
