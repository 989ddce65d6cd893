import assert from 'node:assert/strict'
import { assertAllSame, assertSame, assertSameKeys, rejectsWith } from '../../assertions.ts'
import type { AnyKeyValue, Fixture } from '../../fixture.ts'
import { hostileKeys } from '../../hostile-keys.ts'
import { scan, type Topic } from '../../topic.ts'
import { assertCount, collect, listKeys } from '../../verbs.ts'

/** Names of which many are almost each other's prefix. */
const names = [
  'users',
  'users2',
  'user',
  'Users',
  'users ',
  'users:',
  'users/1',
  '*',
  'u*',
  '%',
  'us_rs',
  'caf\u00e9',
  'cafe\u0301',
]

const rudeNames = [
  '\u0000',
  '\u0001',
  '\u0002',
  '\u0003',
  'a\u0001b',
  'a\u0002b',
  '\u0003\u0010',
  '..',
  '/',
  'a/b',
  'con',
  '__proto__',
]

export const namespaces: Topic = {
  title: 'namespaces',
  cases: [
    {
      title: 'the same key in different namespaces is as many records',
      run: async ({ kv, value }) => {
        const spaces = [
          kv,
          ...[...names, ...rudeNames].map((name) => kv.namespace(name)),
          kv.namespace('users').namespace('users'),
        ]
        await Promise.all(spaces.map((space, i) => space.set('key', value(i))))
        assertAllSame(
          await Promise.all(spaces.map((space) => space.get('key'))),
          spaces.map((_, i) => value(i)),
          'value in namespace',
        )
        await spaces[1]?.delete('key')
        const left = await Promise.all(spaces.map((space) => space.has('key')))
        assert.deepEqual(
          left,
          spaces.map((_, i) => i !== 1),
        )
      },
    },
    {
      title: 'no name and key together are another name and key',
      run: async ({ kv, value }) => {
        const pairs = [
          ...[
            ['a'],
            ['a', 'b'],
            ['ab'],
            ['a\u0001b'],
            ['a\u0002b'],
            ['a', '\u0001b'],
            ['a\u0003\u0011b'],
            ['\u0001a'],
          ].flatMap((path) =>
            ['key', 'b\u0002key', '\u0001b\u0002key', '\u0002key'].map((key) => ({
              space: inside(kv, path),
              key,
            })),
          ),
          ...['key', '\u0001a\u0002key', '\u0002key', '\u0001a\u0001b\u0002key', 'a\u0002key'].map((key) => ({
            space: kv,
            key,
          })),
        ]
        for (const [i, { space, key }] of pairs.entries()) await space.set(key, value(i))
        for (const [i, { space, key }] of pairs.entries())
          assertSame(await space.get(key), value(i), `value of pair ${i}`)
      },
    },
    {
      title: 'a view lists and counts its own keys, and the root its own',
      needs: [scan],
      run: async (t) => {
        const spaces = await fill(t)
        for (const [name, space] of spaces) {
          assertSameKeys(await listKeys(space), ['a', 'b', `of ${name}`], `keys of ${name}`)
          assertCount(space, await space.count(), 3)
          const entries = await collect(space.entries({ prefix: 'of ' }))
          assert.deepEqual([...new Set(entries.map(([key]) => key))], [`of ${name}`])
        }
        assertSameKeys(await listKeys(t.kv), ['a', 'users', 'users2'])
      },
    },
    {
      title: 'clearing a view leaves its neighbours, its parent and the root',
      needs: [scan],
      run: async (t) => {
        const spaces = await fill(t)
        const nested = t.kv.namespace('users').namespace('inner')
        await nested.set('key', t.value(1))
        const cleared = await t.kv.namespace('users').clear({ all: true })
        assertCount(t.kv, cleared, 4, 'three keys and one of the namespace inside')
        assert.equal(await nested.has('key'), false, 'namespaces inside go too')
        for (const [name, space] of spaces)
          assertCount(space, await space.count(), name === 'users' ? 0 : 3, `keys of ${name}`)
        assertSameKeys(await listKeys(t.kv), ['a', 'users', 'users2'])
      },
    },
    {
      title: 'clearing a prefix of a view leaves the same prefix elsewhere',
      needs: [scan],
      run: async (t) => {
        const spaces = await fill(t)
        assertCount(t.kv, await t.kv.namespace('users').clear({ prefix: 'a' }), 1)
        for (const [name, space] of spaces) assert.equal(await space.has('a'), name !== 'users')
        assert.equal(await t.kv.has('a'), true)
        assertCount(
          t.kv,
          await t.kv.clear({ prefix: 'users' }),
          2,
          'keys of the root, not namespaces of that name',
        )
        assert.equal(await t.kv.namespace('users').has('b'), true)
      },
    },
    {
      title: 'clearing the root removes every namespace, and no other dataset',
      needs: [scan],
      run: async (t) => {
        const other = t.keyValue(await t.another())
        await other.set('key', t.value(1))
        await other.namespace('users').set('key', t.value(2))
        const spaces = await fill(t)
        assertCount(t.kv, await t.kv.clear({ all: true }), 3 + 3 * names.length)
        for (const [, space] of spaces) assertCount(space, await space.count(), 0)
        assertCount(t.kv, await t.kv.count(), 0)
        assertSame(await other.get('key'), t.value(1))
        assertSame(await other.namespace('users').get('key'), t.value(2))
      },
    },
    {
      title: 'clear has to be told what',
      needs: [scan],
      run: async ({ kv, value }) => {
        await kv.set('key', value(1))
        for (const what of [
          undefined,
          {},
          { prefix: '' },
          { all: false },
          { prefix: undefined },
          { prefix: 1 },
        ]) {
          await rejectsWith(['INVALID_ARGUMENT', 'INVALID_KEY'], () =>
            kv.clear(what as unknown as { all: true }),
          )
        }
        assert.equal(await kv.has('key'), true)
      },
    },
    {
      title: 'views are values: making and closing one changes no other',
      run: async ({ kv, value }) => {
        const first = kv.namespace('one')
        const second = kv.namespace('two')
        await first.set('key', value(1))
        const inner = first.namespace('inner')
        await inner.set('key', value(2))
        await second.close()
        assertSame(await first.get('key'), value(1))
        assertSame(await kv.namespace('one').get('key'), value(1))
        assertSame(await kv.namespace('one').namespace('inner').get('key'), value(2))
        assert.equal(await second.has('key'), false, 'a closed view does not close the store')
      },
    },
    {
      title: 'views of one KeyValue keep program order together',
      run: async ({ kv, value }) => {
        const [a, b] = [kv.namespace('space'), kv.namespace('space')]
        const [, first, , second] = await Promise.all([
          a.set('key', value(1)),
          b.get('key'),
          b.set('key', value(2)),
          a.get('key'),
        ])
        assertSame(first, value(1))
        assertSame(second, value(2))
      },
    },
    {
      title: 'a bad name is refused',
      run: async ({ kv }) => {
        for (const name of ['', '\ud800', undefined, null, 1, {}, ['a']]) {
          await rejectsWith('INVALID_KEY', () => kv.namespace(name as string))
        }
      },
    },
    {
      title: 'every hostile text is a name like any other',
      run: async ({ kv, value }) => {
        const some = hostileKeys.filter((name, i) => i % 8 === 0 && Buffer.byteLength(name) <= 80)
        await Promise.all(some.map((name, i) => kv.namespace(name).set('key', value(i))))
        const found = await Promise.all(some.map((name) => kv.namespace(name).get('key')))
        assertAllSame(
          found,
          some.map((_, i) => value(i)),
          'value in namespace',
        )
      },
    },
  ],
}

function inside(kv: AnyKeyValue, path: readonly string[]): AnyKeyValue {
  return path.reduce((space: AnyKeyValue, name) => space.namespace(name) as AnyKeyValue, kv)
}

/** Three keys in each namespace, and three in the root that are called like some of them. */
async function fill({ kv, value }: Fixture): Promise<readonly (readonly [string, AnyKeyValue])[]> {
  const spaces = names.map((name) => [name, kv.namespace(name) as AnyKeyValue] as const)
  await kv.setMany(['a', 'users', 'users2'].map((key, i) => [key, value(i)]))
  for (const [name, space] of spaces)
    await space.setMany(['a', 'b', `of ${name}`].map((key, i) => [key, value(i)]))
  return spaces
}
