import assert from 'node:assert/strict'
import {
  attempt,
  breath,
  change,
  committed,
  everything,
  type GroupFixture,
  type GroupTopic,
  put,
  textOf,
  until,
} from './group-fixture.ts'
import { isSerial, type Observation } from './serial-order.ts'

const writers = 8
const accounts = ['0', '1', '2', '3', '4', '5']
const startBalance = 100

/** Many transactions at the same time. */
export const manyWriters: GroupTopic = {
  title: 'many writers of groups',
  cases: [
    {
      title: 'money moves between the accounts of a group, and its sum stays',
      run: async (t) => {
        await put(t, 'bank', Object.fromEntries(accounts.map((no) => [no, `${startBalance}`])))
        await eachWriter(t, async (groups) => {
          for (let i = 0; i < t.rounds; i++) await until(t, groups, 'bank', (tx) => transfer(t, tx))
        })
        assert.equal(sumOf(Object.values(await committed(t, 'bank'))), accounts.length * startBalance)
      },
    },
    {
      title: 'every committed count is there, and no other',
      run: async (t) => {
        let commits = 0
        await eachWriter(t, async (groups) => {
          for (let i = 0; i < t.rounds; i++) {
            await until(t, groups, 'counter', async (tx) => [
              change('n', `${Number(textOf((await tx.get(['n']))[0]) ?? 0) + 1}`),
            ])
            commits++
          }
        })
        assert.deepEqual(await committed(t, 'counter'), { n: `${commits}` })
      },
    },
    {
      title: 'what transactions read and wrote fits one order of them',
      run: async (t) => {
        const seen: Observation[] = []
        await eachWriter(t, async (groups, writer) => {
          for (let i = 0; i < 2 * t.rounds; i++) {
            const observation = await append(t, groups, `${writer}.${i}`)
            if (observation !== undefined) seen.push(observation)
          }
        })
        assert.ok(seen.length > writers, 'transactions are committed')
        const last = await committed(t, 'lists')
        assert.equal(isSerial(seen, new Map(Object.entries(last).map(([k, v]) => [k, listIn(v)]))), true)
      },
    },
  ],
}

type Transaction = Parameters<Parameters<typeof attempt>[3]>[0]

async function eachWriter(
  t: GroupFixture,
  work: (groups: GroupFixture['groups'], writer: number) => Promise<void>,
): Promise<void> {
  const all = Array.from({ length: writers }, (_, i) => work(i % 2 === 0 ? t.groups : t.others, i))
  await Promise.all(all)
}

async function transfer(t: GroupFixture, tx: Transaction) {
  const from = t.random.pick(accounts)
  const to = t.random.pick(accounts.filter((no) => no !== from))
  if (t.random.below(4) === 0) {
    const all = await tx.list(everything)
    assert.equal(sumOf(all.map(({ value }) => textOf(value))), accounts.length * startBalance)
  }
  const [a, b] = (await tx.get([from, to])).map((value) => Number(textOf(value)))
  const amount = t.random.below(10)
  return [change(from, `${(a ?? 0) - amount}`), change(to, `${(b ?? 0) + amount}`)]
}

/** Read some lists, and append a name to some of them. Answers the observation of a transaction that was committed. */
async function append(
  t: GroupFixture,
  groups: GroupFixture['groups'],
  name: string,
): Promise<Observation | undefined> {
  const keys = t.random.shuffle(['x', 'y', 'z']).slice(0, 1 + t.random.below(3))
  const appended = keys.filter(() => t.random.below(2) === 0)
  let read = new Map<string, readonly string[]>()
  const isCommitted = await attempt(groups, 'lists', t.call(), async (tx) => {
    const values = await tx.get(keys)
    read = new Map(keys.map((key, i) => [key, listIn(textOf(values[i]))]))
    await breath(t.random.below(3))
    return appended.map((key) => change(key, [...(read.get(key) ?? []), name].join(',')))
  })
  return isCommitted ? { name, read, appended } : undefined
}

function listIn(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split(',')
}

function sumOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + Number(text), 0)
}
