import assert from 'node:assert/strict'
import { keyBytes } from '@unikv/core/adapter'
import { hostileKeys } from '../hostile-keys.ts'
import { attempt, change, committed, everything, type GroupTopic, textOf } from './group-fixture.ts'

/** Groups of a chunk: enough for each to be told from the others. */
const step = 9

/** Names and keys that some store has confused, cut or executed. */
export const hostileGroups: GroupTopic = {
  title: 'hostile keys and groups',
  cases: [
    {
      title: 'every key is itself, beside all others in its group',
      run: async (t) => {
        const keys = hostileKeys.filter((key) => keyBytes(key) <= t.maxKeyBytes)
        const changes = keys.map((key, i) => change(key, `${i}`))
        assert.equal(await attempt(t.groups, 'g', t.call(), async () => changes), true)
        const found = await t.groups.list('g', { ...everything, limit: keys.length + 1 }, t.call())
        assert.deepEqual(new Set(found.map(({ key }) => key)), new Set(keys))
        const tx = await t.groups.begin('g', t.call())
        assert.deepEqual(
          (await tx.get(keys)).map(textOf),
          keys.map((_, i) => `${i}`),
        )
        await tx.rollback()
      },
    },
    {
      title: 'every group is itself, beside all others',
      run: async (t) => {
        const names = hostileKeys.filter((key, i) => i % step === 0 && keyBytes(key) <= t.maxKeyBytes)
        for (const [i, name] of names.entries())
          assert.equal(await attempt(t.groups, name, t.call(), async () => [change('k', `${i}`)]), true)
        const asked = names.map((group) => ({ group, key: 'k' }))
        const found = await t.others.read(asked, t.call())
        assert.deepEqual(
          found.map(textOf),
          names.map((_, i) => `${i}`),
        )
        for (const name of names.slice(0, 20)) assert.deepEqual(Object.keys(await committed(t, name)), ['k'])
        const listed: string[] = []
        for await (const page of t.groups.names('', t.call())) listed.push(...page)
        assert.deepEqual(new Set(listed), new Set(names))
        assert.equal(listed.length, names.length)
      },
    },
    {
      title: 'groups and keys that run into each other are apart',
      run: async (t) => {
        const pairs = [
          ['a', 'bc'],
          ['ab', 'c'],
          ['a\0b', 'c'],
          ['a', '\0bc'],
          ['a}', 'b'],
          ['{a}', 'b'],
          ['a:', 'b'],
          ['a', ':b'],
        ]
        for (const [group = '', key = ''] of pairs)
          await attempt(t.groups, group, t.call(), async () => [change(key, `${group}|${key}`)])
        const found = await t.groups.read(
          pairs.map(([group = '', key = '']) => ({ group, key })),
          t.call(),
        )
        assert.deepEqual(
          found.map(textOf),
          pairs.map(([group, key]) => `${group}|${key}`),
        )
      },
    },
  ],
}
