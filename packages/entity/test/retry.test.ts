import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { entities, exponential, linear, type RetryPolicy } from '../src/index.ts'
import { profiles } from '../src/retry/profiles.ts'
import { Account } from './auction-types.ts'

/** The longest waits of a policy: those of a jitter that draws just below 1, as if none had been waited. */
function bounds(policy: RetryPolicy, failures: number): (number | undefined)[] {
  const random = (): number => 1 - 2 ** -30
  return Array.from({ length: failures }, (_, at) => policy({ count: at + 1, waitedMs: 0, random }))
}

test('the first four failures wait for nothing, then below 1, 2, 4 … 1,000 ms', () => {
  const below = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]
  expect(bounds(exponential(), 16)).toEqual([0, 0, 0, 0, ...below.map((bound) => bound - 1)])
  expect(bounds(linear(), 8)).toEqual([0, 0, 0, 0, 9, 19, 29, 39])
})

test('a wait is any whole number below its bound, alike often', () => {
  const draws = Array.from({ length: 8 }, (_, at) => at / 8)
  const waits = draws.map((draw) => exponential()({ count: 7, waitedMs: 0, random: () => draw }))
  expect(waits).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
})

test('there are 100 retries, and at most 10 s of waiting', () => {
  expect(bounds(exponential(), 101).filter((wait) => wait === undefined)).toHaveLength(1)
  const late = { count: 50, random: () => 0.999 }
  expect(exponential()({ ...late, waitedMs: 9990 })).toBe(10)
  expect(exponential()({ ...late, waitedMs: 10_000 })).toBeUndefined()
})

test('the profiles are those of the experiments', () => {
  const optimistic = bounds(profiles.optimistic, 201)
  expect(optimistic.slice(0, 12)).toEqual([...Array(10).fill(0), 0, 1])
  expect([optimistic[199], optimistic[200]]).toEqual([999, undefined])
  const pessimistic = bounds(profiles.pessimistic, 101)
  expect(pessimistic.slice(0, 8)).toEqual([99, 199, 399, 799, 1599, 3199, 6399, 9999])
  expect([pessimistic[99], pessimistic[100]]).toEqual([9999, undefined])
})

test('a run that gives up has changed nothing, and tells how often it tried', async () => {
  const store = memory()
  const [db, other] = [1, 2].map(() => entities(keyValue(store), [Account]))
  const id = { bank: 'b', no: 1 }
  await other?.create(Account, { ...id, balance: 0 })
  const told: [number, number][] = []
  const run = db?.run(
    Account.group(id),
    async (tx) => {
      const account = await tx.get(Account, id)
      await other?.update(Account, { ...id, balance: (account?.balance ?? 0) + 100 })
      await tx.update(Account, { ...id, balance: -1 })
    },
    { retry: ({ count }) => (count < 3 ? 0 : undefined), onRetry: (...retry) => told.push(retry) },
  )
  await expect(run).rejects.toMatchObject({ code: 'OVERLOADED', retryable: true })
  expect(await db?.get(Account, id)).toEqual({ ...id, balance: 300 })
  expect(told).toEqual([
    [1, 0],
    [2, 0],
  ])
  expect(db?.statistics()).toMatchObject({ committed: 0, conflicts: 3, retries: 2, givenUp: 1 })
})
