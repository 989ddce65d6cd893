import assert from 'node:assert/strict'
import {
  attempt,
  change,
  committed,
  type GroupFixture,
  type GroupTopic,
  put,
  textOf,
} from './group-fixture.ts'

/** Names of groups, and what is left of those without records. */
export const sweeping: GroupTopic = {
  title: 'names and sweeps of groups',
  cases: [
    {
      title: 'every group with records is listed once, by prefix',
      run: async (t) => {
        const names = ['a/1', 'a/2', 'a', 'b/1', 'a\u{10ffff}']
        for (const name of names) await put(t, name, { k1: '', k2: '' })
        const sorted = (some: readonly string[]): string[] => [...some].sort()
        assert.deepEqual(sorted(await namesOf(t, '')), sorted(names))
        assert.deepEqual(sorted(await namesOf(t, 'a/')), ['a/1', 'a/2'])
        assert.deepEqual(await namesOf(t, 'c'), [])
      },
    },
    {
      title: 'more groups than a page holds are all listed',
      run: async (t) => {
        const names = Array.from({ length: 1_100 }, (_, i) => `group ${i}`)
        for (let at = 0; at < names.length; at += 50)
          await Promise.all(names.slice(at, at + 50).map((name) => put(t, name, { k: '' })))
        const listed = await namesOf(t, 'group ')
        assert.equal(listed.length, names.length)
        assert.deepEqual(new Set(listed), new Set(names))
      },
    },
    {
      title: 'a group with records is never forgotten',
      run: async (t) => {
        await put(t, 'g', { k: '1' })
        assert.equal(await t.groups.forget('g', Date.now() + 60_000, t.call()), false)
        assert.deepEqual(await committed(t, 'g'), { k: '1' })
        assert.equal(await t.groups.forget('none', Date.now() + 60_000, t.call()), false)
      },
    },
    {
      title: 'a group without records is forgotten only if it is old, and is usable afterwards',
      run: async (t) => {
        await put(t, 'g', { k: '1' })
        await put(t, 'g', { k: undefined })
        assert.equal(await t.groups.forget('g', Date.now() - 3_600_000, t.call()), false)
        await t.groups.forget('g', Date.now() + 60_000, t.call())
        assert.deepEqual(await namesOf(t, ''), [])
        await put(t, 'g', { k: '2' })
        assert.deepEqual(await committed(t, 'g'), { k: '2' })
      },
    },
    {
      title: 'a transaction over a group that is forgotten meanwhile is not committed on what is gone',
      run: async (t) => {
        await put(t, 'g', { k: '1' })
        await put(t, 'g', { k: undefined })
        const tx = await t.groups.begin('g', t.call())
        assert.deepEqual((await tx.get(['k'])).map(textOf), [undefined])
        await t.others.forget('g', Date.now() + 60_000, t.call())
        const other = attempt(t.others, 'g', t.call(), async () => [change('k', 'other')])
        await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 100))])
        const mine = await tx.commit([change('k', 'mine')])
        const [{ k }, theirs] = [await committed(t, 'g'), await other]
        assert.ok(mine || theirs, 'one of the two is committed')
        assert.ok(mine || k === 'other', 'what was not committed is not there')
      },
    },
  ],
}

async function namesOf({ groups, call }: GroupFixture, prefix: string): Promise<readonly string[]> {
  const names: string[] = []
  for await (const page of groups.names(prefix, call())) names.push(...page)
  return names
}
