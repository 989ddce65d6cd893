import assert from 'node:assert/strict'
import { attempt, breath, change, committed, everything, type GroupTopic, put } from './group-fixture.ts'

/** All of a commit or nothing. */
export const commits: GroupTopic = {
  title: 'commits of groups',
  cases: [
    {
      title: 'a commit sets, replaces and removes at once',
      run: async (t) => {
        await put(t, 'g', { replaced: '1', removed: '1', kept: '1' })
        const changes = [change('replaced', '2'), change('removed', undefined), change('new', '2')]
        assert.equal(await attempt(t.groups, 'g', t.call(), async () => changes), true)
        assert.deepEqual(await committed(t, 'g'), { kept: '1', new: '2', replaced: '2' })
      },
    },
    {
      title: 'removing what is not there is a commit',
      run: async (t) => {
        assert.equal(await attempt(t.groups, 'g', t.call(), async () => [change('none', undefined)]), true)
        assert.deepEqual(await committed(t, 'g'), {})
      },
    },
    {
      title: 'a commit without changes is one, after any reads',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        for (const read of [false, true]) {
          const tx = await t.groups.begin('g', t.call())
          if (read) await tx.list(everything)
          assert.equal(await tx.commit([]), true)
        }
        assert.deepEqual(await committed(t, 'g'), { a: '1' })
      },
    },
    {
      title: 'many changes are one commit',
      run: async (t) => {
        const texts = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, `${i}`]))
        await put(t, 'g', texts)
        assert.deepEqual(await committed(t, 'g'), texts)
        await put(t, 'g', Object.fromEntries(Object.keys(texts).map((key) => [key, undefined])))
        assert.deepEqual(await committed(t, 'g'), {})
      },
    },
    {
      title: 'a rollback leaves nothing, and a second one is harmless',
      run: async (t) => {
        await put(t, 'g', { a: '1' })
        const tx = await t.groups.begin('g', t.call())
        await tx.get(['a', 'b'])
        await tx.rollback()
        await tx.rollback()
        const untouched = await t.groups.begin('g', t.call())
        await untouched.rollback()
        assert.deepEqual(await committed(t, 'g'), { a: '1' })
        await put(t, 'g', { a: '2' })
        assert.deepEqual(await committed(t, 'g'), { a: '2' })
      },
    },
    {
      title: 'a reader outside sees all of a commit or nothing',
      run: async (t) => {
        await put(t, 'g', { a: '0', b: '0' })
        let isOver = false
        const reader = async (): Promise<void> => {
          while (!isOver) {
            const { a, b } = await committed({ ...t, groups: t.others }, 'g')
            assert.equal(a, b)
            // A store that answers at once would leave no turn to others.
            await breath(0)
          }
        }
        const reads = reader()
        for (let i = 1; i <= t.rounds; i++) await put(t, 'g', { a: `${i}`, b: `${i}` })
        isOver = true
        await reads
      },
    },
  ],
}
