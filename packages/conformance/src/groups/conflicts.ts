import assert from 'node:assert/strict'
import {
  attempt,
  breath,
  change,
  committed,
  type GroupFixture,
  type GroupTopic,
  isLost,
  put,
  textOf,
  textsOf,
  type Work,
} from './group-fixture.ts'

/** How long two transactions wait for each other's reads: one with locks may not let the other read. */
const meetingMs = 100

/** Two transactions at the same time: the result is as if one had come after the other. */
export const conflicts: GroupTopic = {
  title: 'conflicts in groups',
  cases: [
    {
      title: 'no update is lost',
      run: async (t) => {
        await put(t, 'g', { n: '0' })
        const count = await race(t, async (tx, meet) => {
          const n = Number(textOf((await tx.get(['n']))[0]))
          await meet()
          return [change('n', `${n + 1}`)]
        })
        assert.ok(count > 0, 'one of the two is committed')
        assert.deepEqual(await committed(t, 'g'), { n: `${count}` })
      },
    },
    {
      title: 'two that read the same and write apart are not both committed (write skew)',
      run: async (t) => {
        await put(t, 'g', { a: 'on', b: 'on' })
        const count = await race(t, async (tx, meet, me) => {
          const on = (await tx.get(['a', 'b'])).filter((value) => textOf(value) === 'on').length
          await meet()
          return on === 2 ? [change(me, 'off')] : []
        })
        assert.ok(count > 0, 'one of the two is committed')
        const { a, b } = await committed(t, 'g')
        assert.deepEqual(new Set([a, b]), new Set(['off', 'on']))
      },
    },
    {
      title: 'a key that was absent and appears is a conflict',
      run: async (t) => {
        await put(t, 'g', { other: '' })
        const count = await race(t, async (tx, meet, me) => {
          const [theirs] = await tx.get([me === 'a' ? 'b' : 'a'])
          await meet()
          return theirs === undefined ? [change(me, 'first')] : []
        })
        assert.ok(count > 0, 'one of the two is committed')
        const { a, b } = await committed(t, 'g')
        assert.equal([a, b].filter((text) => text === 'first').length, 1)
      },
    },
    {
      title: 'a record that appears in a range that was listed is a conflict (phantom)',
      run: async (t) => {
        await put(t, 'g', { 'p/0': '', q: '' })
        const count = await race(t, async (tx, meet, me) => {
          const found = await tx.list({ prefix: 'p/', limit: 100 })
          await meet()
          return found.length === 1 ? [change(`p/${me}`, '')] : []
        })
        assert.ok(count > 0, 'one of the two is committed')
        assert.equal(Object.keys(await committed(t, 'g')).length, 3)
      },
    },
    {
      title: 'a record that leaves a listed range is a conflict',
      run: (t) => removeOfList(t, ['p/a', 'p/b'], 100),
    },
    {
      title: 'a record that leaves a listed page, and lets the next one in, is a conflict',
      run: (t) => removeOfList(t, ['p/a', 'p/b', 'p/c'], 2),
    },
    {
      title: 'reads of one transaction are of one state',
      run: async (t) => {
        await put(t, 'g', { a: '1', b: '1', 'p/1': '1' })
        const tx = await t.groups.begin('g', t.call())
        const [a] = (await tx.get(['a'])).map(textOf)
        const other = attempt(t.others, 'g', t.call(), async () =>
          ['a', 'b', 'p/1'].map((key) => change(key, '2')),
        )
        await Promise.race([other, breath(meetingMs)])
        try {
          assert.deepEqual((await tx.get(['b'])).map(textOf), [a])
          assert.deepEqual(textsOf(await tx.list({ prefix: 'p/', limit: 9 })), [['p/1', a]])
        } catch (error) {
          if (!isLost(error)) throw error
        }
        await tx.rollback()
        await other
      },
    },
    {
      title: 'transactions on different groups do not disturb each other',
      run: async (t) => {
        const names = Array.from({ length: 8 }, (_, i) => `group ${i}`)
        await Promise.all(names.map((name) => put(t, name, { n: '0' })))
        await Promise.all(
          names.map(async (name) => {
            for (let i = 0; i < t.rounds; i++)
              while (!(await attempt(t.groups, name, t.call(), increment))) await breath(1)
          }),
        )
        for (const name of names) assert.deepEqual(await committed(t, name), { n: `${t.rounds}` })
      },
    },
  ],
}

const increment: Work = async (tx) => [change('n', `${Number(textOf((await tx.get(['n']))[0])) + 1}`)]

type Racer = (tx: Parameters<Work>[0], meet: () => Promise<void>, me: 'a' | 'b') => ReturnType<Work>

/** Two attempts of the same work, whose reads meet before they go on if nothing hinders: how many were committed. */
async function race(t: GroupFixture, work: Racer): Promise<number> {
  // A store may refuse both, as each met the other; then nothing has changed, and they begin again.
  for (let round = 1; ; round++) {
    const count = await raceOnce(t, work)
    if (count > 0 || round === mostRounds) return count
  }
}

const mostRounds = 4

async function raceOnce(t: GroupFixture, work: Racer): Promise<number> {
  let arrived = 0
  let bothArrived: () => void = () => {}
  const met = new Promise<void>((resolve) => {
    bothArrived = resolve
  })
  const meet = (): Promise<void> => {
    if (++arrived === 2) bothArrived()
    return Promise.race([met, breath(meetingMs)])
  }
  const one = (me: 'a' | 'b', groups: GroupFixture['groups']): Promise<boolean> =>
    attempt(groups, 'g', t.call(), (tx) => work(tx, meet, me))
  const results = await Promise.all([one('a', t.groups), one('b', t.others)])
  return results.filter(Boolean).length
}

/** Each of two removes its own record of a list if the other one is still there. */
async function removeOfList(t: GroupFixture, keys: readonly string[], limit: number): Promise<void> {
  await put(t, 'g', Object.fromEntries(keys.map((key) => [key, ''])))
  const count = await race(t, async (tx, meet, me) => {
    const found = (await tx.list({ prefix: 'p/', limit })).map(({ key }) => key)
    await meet()
    return found.includes('p/a') && found.includes('p/b') ? [change(`p/${me}`, undefined)] : []
  })
  assert.ok(count > 0, 'one of the two is committed')
  assert.equal(Object.keys(await committed(t, 'g')).length, keys.length - 1)
}
