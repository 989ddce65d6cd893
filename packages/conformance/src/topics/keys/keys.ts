import assert from 'node:assert/strict'
import { canonicalKey, compareKeys, internalKey, namespacePrefix } from '@unikv/core/adapter'
import { assertAllSame, assertSame, assertSameKeys, rejectsWith } from '../../assertions.ts'
import type { AnyKeyValue, Fixture } from '../../fixture.ts'
import { invalidKeys } from '../../hostile-keys.ts'
import type { Topic } from '../../topic.ts'
import {
  listKeys,
  readEntry,
  readValue,
  readValues,
  remove,
  removeAll,
  scanKeys,
  set,
  setAll,
} from '../../verbs.ts'

export const keys: Topic = {
  title: 'keys',
  cases: [
    {
      title: 'each hostile key is itself and no other, and all are listed together',
      run: async (t) => {
        const { store, kv, value, capabilities, hostileKeys } = t
        await kv.setMany(hostileKeys.map((key, i) => [key, value(i)]))
        await someAtOnce(hostileKeys.map(canonical), async (key, i) =>
          assertSame(await readValue(store, key), value(i), valueOf(key)),
        )
        if (capabilities.scan !== false) await assertListed(t)
        const gone = hostileKeys.filter((_, i) => i % 2 === 1)
        await kv.deleteMany(gone)
        // Each key was read by itself: here a quarter is enough to see that deletes reach what they name.
        const some = hostileKeys.map((key, i) => [key, i] as const).filter(([, i]) => i % 8 < 2)
        const left = some.map(([, i]) => (i % 2 === 1 ? undefined : value(i)))
        assertAllSame(await kv.getMany(some.map(([key]) => key)), left, 'value of key after deletes')
      },
    },
    {
      title: 'the first of two keys that look alike is not deleted with the second',
      run: async ({ store, value }) => {
        const pairs = [
          ['Key', 'key'],
          ['caf\u00e9', 'cafe\u0301'],
          ['x', 'x '],
          ['a/b', 'a//b'],
          ['1', '01'],
          ['A', '%41'],
        ] as const
        for (const [kept, deleted] of pairs) {
          await set(store, kept, value(1))
          await set(store, deleted, value(2))
          await remove(store, deleted)
          assertSame(await readValue(store, kept), value(1), valueOf(kept))
          assert.equal(await readEntry(store, deleted), undefined)
        }
      },
    },
    {
      title: 'hostile keys are the same in a namespace, and meet none outside it',
      run: async ({ kv, value, hostileKeys }) => {
        const names = hostileKeys.filter((key, i) => i % 6 === 0 && Buffer.byteLength(key) <= 150)
        const inside = kv.namespace('space')
        await kv.setMany(names.map((key, i) => [key, value(i)]))
        await inside.setMany(names.map((key, i) => [key, value(names.length + i)]))
        assertAllSame(
          await kv.getMany(names),
          names.map((_, i) => value(i)),
          'outside',
        )
        assertAllSame(
          await inside.getMany(names),
          names.map((_, i) => value(names.length + i)),
          'inside',
        )
      },
    },
    {
      title: 'canonical keys of namespaces and of internal records are keys like others',
      run: (t) =>
        assertThemselves(t, [
          ...[['a'], ['a', 'b'], ['a\u0001b'], ['a\u0002b'], ['a\u0003'], ['\u0001'], ['ab']].map(
            (path) => `${namespacePrefix(path)}key`,
          ),
          ...['key', '\u0002key', 'other', '\u0001a\u0002key'].map((key) => internalKey('marker', key)),
          ...['key', '\u0002key', 'other'].map((key) => internalKey('marker', key, 'part')),
          'key',
          '\u0002\u0000mkey',
          '\u0002\u0001a\u0002key',
          '\u0002\u0002key',
        ]),
    },
    {
      title: 'text that is not well-formed is refused as a key before the store is asked',
      run: async (t) => {
        const probe = t.observed()
        const kv = t.keyValue(probe.store)
        for (const { title, key } of invalidKeys)
          for (const run of everyCall(kv, key as string, t.value(1)))
            await rejectsWith('INVALID_KEY', run, title)
        assert.equal(probe.calls, 0, 'nothing was sent')
      },
    },
  ],
}

function everyCall(kv: AnyKeyValue, key: string, value: unknown): (() => Promise<unknown>)[] {
  return [
    () => kv.get(key),
    () => kv.set(key, value),
    () => kv.has(key),
    () => kv.delete(key),
    () => kv.getMany(['key', key]),
  ]
}

function inOrder(a: string, b: string): number {
  return compareKeys(canonical(a), canonical(b))
}

function canonical(key: string): string {
  return canonicalKey('', key)
}

function valueOf(key: string): string {
  return `value of ${JSON.stringify(key)}`
}

/** All of them, in their order if there is one, and under some prefixes those that begin so. */
async function assertListed({ store, kv, hostileKeys }: Fixture): Promise<void> {
  const listed = await listKeys(kv)
  assertSameKeys(listed, hostileKeys)
  if (kv.capabilities.scan.order === 'bytes')
    assert.deepEqual(listed, hostileKeys.toSorted(inOrder), 'keys come in the order of their UTF-8 bytes')
  const canonicalKeys = hostileKeys.map(canonical)
  const prefixes = canonicalKeys.filter((_, i) => i % 40 === 0)
  await someAtOnce(prefixes, async (prefix) => {
    const wanted = canonicalKeys.filter((key) => key.startsWith(prefix))
    assertSameKeys(await scanKeys(store, { prefix }), wanted, `keys under ${JSON.stringify(prefix)}`)
  })
}

/** Each by a call of its own, as many at once as a server likes. */
async function someAtOnce(
  all: readonly string[],
  check: (key: string, i: number) => Promise<void>,
): Promise<void> {
  const atOnce = 8
  for (let from = 0; from < all.length; from += atOnce)
    await Promise.all(all.slice(from, from + atOnce).map((key, n) => check(key, from + n)))
}

/** Every key holds its own value, is listed as it is, is its own prefix, and goes alone. */
async function assertThemselves(
  { store, value, capabilities }: Fixture,
  all: readonly string[],
): Promise<void> {
  await setAll(
    store,
    all.map((key, i) => [key, value(i)]),
  )
  await someAtOnce(all, async (key, i) => assertSame(await readValue(store, key), value(i), valueOf(key)))
  if (capabilities.scan !== false) {
    assertSameKeys(await scanKeys(store), all)
    const prefixes = all.filter((_, i) => i % 8 === 0)
    await someAtOnce(prefixes, async (prefix) => {
      const wanted = all.filter((key) => key.startsWith(prefix))
      assertSameKeys(await scanKeys(store, { prefix }), wanted, `keys under ${JSON.stringify(prefix)}`)
    })
  }
  const gone = all.filter((_, i) => i % 2 === 1)
  await removeAll(store, gone)
  const left = all.map((_, i) => (i % 2 === 1 ? undefined : value(i)))
  assertAllSame(await readValues(store, all), left, 'value of key after deletes')
}
