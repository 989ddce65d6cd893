import assert from 'node:assert/strict'
import { type Check, newVersion, type Store, type TogetherChange, type Version } from '@unikv/core'
import { assertSame } from '../../assertions.ts'
import { type Case, conditionalWrite, type Topic, ttl, versions } from '../../topic.ts'
import { call, presentEntry, readEntry, readValue, set } from '../../verbs.ts'

type Step = NonNullable<Store<unknown>['together']>

/** A store that makes changes in one step. */
type Stepping = Store<unknown> & { readonly together: Step }

const farMs = 10_000_000

export const changesTogether: Topic = {
  title: 'write, and changes together',
  cases: [
    stepping('all changes of a step are made', async (store, value) => {
      const [a, b] = [await set(store, 'a', value(1)), await set(store, 'b', value(2))]
      const changes = [put('a', a, value(3)), put('new', null, value(4)), drop('b', b)]
      assert.equal(await store.together(changes, [], call()), true)
      assertSame(await readValue(store, 'a'), value(3))
      assertSame(await readValue(store, 'new'), value(4))
      assert.equal(await readEntry(store, 'b'), undefined)
      assert.equal((await presentEntry(store, 'new')).version, changes[1]?.version)
    }),
    stepping('none is made if one condition does not hold, wherever it stands', async (store, value) => {
      const [a, b] = [await set(store, 'a', value(1)), await set(store, 'b', value(2))]
      const good = [put('a', a, value(3)), drop('b', b), put('new', null, value(4))]
      const bad = [
        put('a', newVersion(), value(5)),
        put('b', null, value(5)),
        put('missing', newVersion(), value(5)),
        drop('a', b),
      ]
      for (const one of bad) {
        const others = good.filter(({ key }) => key !== one.key)
        assert.equal(await store.together([one, ...others], [], call()), false)
        assert.equal(await store.together([...others, one], [], call()), false)
      }
      assertSame(await readValue(store, 'a'), value(1))
      assertSame(await readValue(store, 'b'), value(2))
      assert.equal(await readEntry(store, 'new'), undefined)
    }),
    stepping('none is made if one check does not hold', async (store, value) => {
      const [a, b] = [await set(store, 'a', value(1)), await set(store, 'b', value(2))]
      const step = (checks: readonly Check[]): Promise<boolean | undefined> =>
        Promise.resolve(store.together([put('a', a, value(3))], checks, call()))
      assert.equal(await step([{ key: 'b', version: newVersion() }]), false)
      assert.equal(await step([{ key: 'missing', version: b }]), false)
      // That nothing is there: a store may not be able to say so.
      assert.notEqual(await step([{ key: 'b', version: null }]), true)
      assertSame(await readValue(store, 'a'), value(1))
      assert.equal(await step([{ key: 'b', version: b }]), true)
      assertSame(await readValue(store, 'a'), value(3))
    }),
    stepping(
      'an expiry is set, kept and removed',
      async (store, value) => {
        const expiresAt = Math.ceil(Date.now() / 1000) * 1000 + farMs
        const known = await Promise.all(
          ['kept', 'removed'].map((key) => set(store, key, value(1), { expiresAt })),
        )
        const changes = [
          { ...put('kept', known[0] as Version, value(2)), expiresAt: 'keep' as const },
          put('removed', known[1] as Version, value(2)),
          { ...put('set', null, value(2)), expiresAt },
          { ...put('none', null, value(2)), expiresAt: 'keep' as const },
        ]
        assert.equal(await store.together(changes, [], call()), true)
        const found = await Promise.all(changes.map(({ key }) => presentEntry(store, key)))
        assert.deepEqual(
          found.map((entry) => entry.expiresAt),
          [expiresAt, undefined, expiresAt, undefined],
        )
      },
      [ttl],
    ),
    stepping('steps at the same time are made one after the other', async (store, value) => {
      const keys = ['a', 'b', 'c']
      for (const key of keys) await set(store, key, value(0))
      const made = await Promise.all(Array.from({ length: 12 }, (_, n) => counted(store, keys, value, n)))
      assert.equal(
        made.reduce((sum, one) => sum + one, 0),
        36,
      )
      const versionsNow = await Promise.all(keys.map(async (key) => (await presentEntry(store, key)).version))
      assert.equal(new Set(versionsNow).size, 1, 'the last step has written all')
    }),
    stepping('of steps that make the same record one does', async (store, value) => {
      for (let round = 0; round < 5; round++) {
        const key = `new ${round}`
        const results = await Promise.all(
          Array.from({ length: 8 }, async (_, n) =>
            store.together([put(key, null, value(n)), put(`${key} of ${n}`, null, value(n))], [], call()),
          ),
        )
        assert.equal(results.filter((result) => result === true).length, 1)
        const others = await Promise.all(results.map((_, n) => readEntry(store, `${key} of ${n}`)))
        assert.deepEqual(
          others.map((entry) => entry !== undefined),
          results.map((result) => result === true),
        )
      }
    }),
  ],
}

/** Three steps, each again until it is made, with one version for all records. Resolves to how many were made. */
async function counted(
  store: Stepping,
  keys: readonly string[],
  value: (n: number) => unknown,
  n: number,
): Promise<number> {
  let made = 0
  for (let tries = 0; made < 3; tries++) {
    assert.ok(tries < 10_000, 'a step is made at last')
    const known = await Promise.all(keys.map(async (key) => (await presentEntry(store, key)).version))
    const version = newVersion()
    const changes = keys.map((key, i) => ({ ...put(key, known[i] as Version, value(n)), version }))
    if ((await store.together(changes, [], call())) === true) made++
  }
  return made
}

function put(
  key: string,
  ifVersion: Version | null,
  value: unknown,
): TogetherChange<unknown> & { readonly type: 'set' } {
  return { type: 'set', key, value, version: newVersion(), ifVersion }
}

function drop(key: string, ifVersion: Version | null): TogetherChange<unknown> {
  return { type: 'delete', key, version: newVersion(), ifVersion }
}

/** A case for stores that have such a step: others have nothing to show. */
function stepping(
  title: string,
  run: (store: Stepping, value: (n: number) => unknown) => Promise<void>,
  needs: Case['needs'] = [],
): Case {
  return {
    title,
    needs: [conditionalWrite, versions, ...needs],
    run: async ({ store, value }) => {
      if (store.together !== undefined) await run(store as Stepping, value)
    },
  }
}
