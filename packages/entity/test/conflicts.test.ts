import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { mulberry32 } from '@unikv/test-kit'
import { expect, test } from 'vitest'
import { type EntitiesOptions, entities, entity, plain } from '../src/index.ts'

const Counter = entity('Counter', {
  schema: plain<{ group: number; no: number; count: number }>(),
  id: ['group', 'no'],
  group: ['group'],
})

const items = 80_000
const writers = 16
const incrementsEach = 40

/** Writers increment random items at the same time. Resolves to the sum of all items and the share of attempts that lost. */
async function driven(groups: number, retry: EntitiesOptions['retry'], isPartitioned = false) {
  const db = entities(keyValue(memory()), [Counter], { retry, random: mulberry32(1) })
  const touched = new Map<string, { group: number; no: number }>()
  const write = async (writer: number): Promise<void> => {
    const random = mulberry32(writer + 2)
    for (let i = 0; i < incrementsEach; i++) {
      const drawn = Math.floor(random() * (groups / (isPartitioned ? writers : 1)))
      const id = {
        group: isPartitioned ? drawn * writers + writer : drawn,
        no: Math.floor(random() * (items / groups)),
      }
      touched.set(`${id.group} ${id.no}`, id)
      await db.run(Counter.group(id), async (tx) => {
        const counter = await tx.get(Counter, id)
        if (counter === undefined) await tx.create(Counter, { ...id, count: 1 })
        else await tx.update(Counter, { ...counter, count: counter.count + 1 })
      })
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const found = await db.getMany(Counter, [...touched.values()])
  const { committed, conflicts } = db.statistics()
  return {
    sum: found.reduce((sum, counter) => sum + (counter?.count ?? 0), 0),
    lost: conflicts / (committed + conflicts),
  }
}

test.each(['default', 'optimistic', 'pessimistic'] as const)(
  'no increment is lost by the policy %s',
  async (retry) => {
    const policy = retry === 'pessimistic' ? () => 0 : retry // its waits are long
    expect((await driven(20, policy)).sum).toBe(writers * incrementsEach)
  },
)

test('the fewer groups 80,000 items are in, the more attempts are lost', async () => {
  const shares = []
  for (const groups of [20_000, 2_000, 200, 20]) shares.push((await driven(groups, 'default')).lost)
  expect(shares.toSorted((a, b) => a - b)).toEqual(shares)
  expect(shares.at(-1)).toBeGreaterThan(0.1)
})

test('users of their own never lose', async () => {
  expect(await driven(2_000, 'default', true)).toEqual({ sum: writers * incrementsEach, lost: 0 })
})
