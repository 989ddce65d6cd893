import assert from 'node:assert/strict'
import { canonicalKey, compareKeys, internalKey, namespacePrefix } from '@unikv/core/adapter'
import { assertAllSame, assertSame, assertSameKeys, rejectsWith } from '../assertions.ts'
import type { Fixture } from '../fixture.ts'
import { hostileKeyClasses, hostileKeys, invalidKeys } from '../hostile-keys.ts'
import type { Case, Topic } from '../topic.ts'
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
} from '../verbs.ts'

export const keys: Topic = {
  title: 'keys',
  cases: [
    ...hostileKeyClasses.map(
      ({ title, keys: ofClass }): Case => ({
        title: `${title}: each key is itself and no other`,
        run: (t) =>
          assertThemselves(
            t,
            ofClass.map((key) => canonicalKey('', key)),
          ),
      }),
    ),
    {
      title: 'all hostile keys live beside each other, and are listed together',
      run: async ({ kv, value, capabilities }) => {
        await kv.setMany(hostileKeys.map((key, i) => [key, value(i)]))
        assertAllSame(
          await kv.getMany(hostileKeys),
          hostileKeys.map((_, i) => value(i)),
          'value of key',
        )
        if (capabilities.scan === false) return
        const listed = await listKeys(kv)
        assertSameKeys(listed, hostileKeys)
        if (capabilities.scan.order === 'bytes')
          assert.deepEqual(
            listed,
            hostileKeys.toSorted(inOrder),
            'keys come in the order of their UTF-8 bytes',
          )
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
          assertSame(await readValue(store, kept), value(1), `value of ${JSON.stringify(kept)}`)
          assert.equal(await readEntry(store, deleted), undefined)
        }
      },
    },
    {
      title: 'hostile keys are the same in a namespace, and meet none outside it',
      run: async ({ kv, value }) => {
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
    ...invalidKeys.map(
      ({ title, key }): Case => ({
        title: `${title} is refused as a key before the store is asked`,
        run: async (t) => {
          const probe = t.observed()
          const kv = t.keyValue(probe.store)
          const invalid = key as string
          await rejectsWith('INVALID_KEY', () => kv.get(invalid))
          await rejectsWith('INVALID_KEY', () => kv.set(invalid, t.value(1)))
          await rejectsWith('INVALID_KEY', () => kv.has(invalid))
          await rejectsWith('INVALID_KEY', () => kv.delete(invalid))
          await rejectsWith('INVALID_KEY', () => kv.getMany(['key', invalid]))
          assert.equal(probe.calls, 0, 'nothing was sent')
        },
      }),
    ),
  ],
}

function inOrder(a: string, b: string): number {
  return compareKeys(canonicalKey('', a), canonicalKey('', b))
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
  await someAtOnce(all, async (key, i) =>
    assertSame(await readValue(store, key), value(i), `value of ${JSON.stringify(key)}`),
  )
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
