import assert from 'node:assert/strict'
import { assertSame } from '../assertions.ts'
import {
  attempt,
  bytesOf,
  change,
  committed,
  everything,
  type GroupTopic,
  put,
  textOf,
  textsOf,
} from './group-fixture.ts'

/** Reads in transactions and outside. */
export const reading: GroupTopic = {
  title: 'reads of groups',
  cases: [
    {
      title: 'a group that was never written is empty',
      run: async ({ groups, call }) => {
        const tx = await groups.begin('none', call())
        assert.deepEqual(await tx.get(['a', 'b']), [undefined, undefined])
        assert.deepEqual(await tx.list(everything), [])
        assert.equal(await tx.commit([]), true)
        assert.deepEqual(await groups.read([{ group: 'none', key: 'a' }], call()), [undefined])
        assert.deepEqual(await groups.list('none', everything, call()), [])
      },
    },
    {
      title: 'a committed value is read in the next transaction and outside, byte by byte',
      run: async (t) => {
        const value = Uint8Array.from({ length: 256 }, (_, byte) => byte)
        assert.equal(await attempt(t.groups, 'g', t.call(), async () => [{ key: 'k', value }]), true)
        const tx = await t.others.begin('g', t.call())
        assertSame((await tx.get(['k']))[0], value)
        await tx.rollback()
        assertSame((await t.groups.read([{ group: 'g', key: 'k' }], t.call()))[0], value)
        assertSame((await t.others.list('g', everything, t.call()))[0]?.value, value)
      },
    },
    {
      title: 'values come in the order of the keys asked for, and a key may be asked for twice',
      run: async (t) => {
        await put(t, 'g', { a: '1', b: '2', c: '3' })
        const keys = ['c', 'missing', 'a', 'c', 'b']
        const texts = ['3', undefined, '1', '3', '2']
        const tx = await t.groups.begin('g', t.call())
        assert.deepEqual((await tx.get(keys)).map(textOf), texts)
        await tx.rollback()
        const outside = await t.groups.read(
          keys.map((key) => ({ group: 'g', key })),
          t.call(),
        )
        assert.deepEqual(outside.map(textOf), texts)
        assert.deepEqual(await t.groups.read([], t.call()), [])
      },
    },
    {
      title: 'keys of several groups are read at once outside of transactions',
      run: async (t) => {
        await put(t, 'g', { k: 'of g' })
        await put(t, 'h', { k: 'of h' })
        const keys = ['h', 'none', 'g'].map((group) => ({ group, key: 'k' }))
        const found = await t.groups.read(keys, t.call())
        assert.deepEqual(found.map(textOf), ['of h', undefined, 'of g'])
      },
    },
    {
      title: 'more keys than a statement has room for are read at once',
      run: async (t) => {
        const keys = Array.from({ length: 40_000 }, (_, i) => `${i}`)
        await put(t, 'g', { 0: 'first', 20_000: 'middle', 39_999: 'last' })
        const tx = await t.groups.begin('g', t.call())
        const inside = await tx.get(keys)
        await tx.rollback()
        const outside = await t.groups.read(
          keys.map((key) => ({ group: 'g', key })),
          t.call(),
        )
        for (const values of [inside, outside]) {
          assert.equal(values.length, keys.length)
          const found = values.flatMap((value, i) => (value === undefined ? [] : [[i, textOf(value)]]))
          assert.deepEqual(found, [
            [0, 'first'],
            [20_000, 'middle'],
            [39_999, 'last'],
          ])
        }
      },
    },
    {
      title: 'an empty value is a value',
      run: async (t) => {
        await put(t, 'g', { empty: '' })
        const tx = await t.groups.begin('g', t.call())
        assertSame((await tx.get(['empty']))[0], bytesOf(''))
        await tx.rollback()
        assert.deepEqual(textsOf(await t.groups.list('g', everything, t.call())), [['empty', '']])
      },
    },
    {
      title: 'a large value comes back whole',
      run: async (t) => {
        const value = Buffer.alloc(200_000, 'large ')
        await attempt(t.groups, 'g', t.call(), async () => [{ key: 'k', value }])
        assertSame((await t.groups.read([{ group: 'g', key: 'k' }], t.call()))[0], value)
      },
    },
    {
      title: 'groups and outside reads see nothing of a transaction that is not committed',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        const tx = await t.groups.begin('g', t.call())
        await tx.get(['b'])
        assert.deepEqual(await committed(t, 'g'), { a: '1' })
        assert.equal(await tx.commit([change('a', '2'), change('b', '2')]), true)
        assert.deepEqual(await committed({ ...t, groups: t.others }, 'g'), { a: '2', b: '2' })
      },
    },
  ],
}
