import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type EntityDb, entities } from '@unikv/entity'
import { describe, expect, test } from 'vitest'
import { micro, microModels } from '../../src/session/micro/benchmark.ts'
import { groupedMicro, microByEntities, microTypes } from '../../src/session/micro/by-entities.ts'
import { microPopulation } from '../../src/session/micro/population.ts'
import type { SessionModel } from '../../src/session/model/session-model.ts'
import { populate } from '../../src/session/run/populate.ts'
import { runSessions } from '../../src/session/run/run-sessions.ts'

const { Item, Shared } = groupedMicro
const benchmark = micro(microByEntities)
const open = (): EntityDb => entities(keyValue(memory(), []), microTypes)

const updatesOf = async (db: EntityDb, type: typeof Item, owners: number): Promise<number> => {
  const lists = await Promise.all(Array.from({ length: owners }, (_, i) => db.byIndex(type, 'owner', i + 1)))
  return lists.flat().reduce((sum, { updates }) => sum + updates, 0)
}

test.each(Object.keys(microModels))('sessions of the model %s run without an error', async (name) => {
  const db = open()
  const parameters = {
    USER_NUM: 20,
    SET_NUM: 3,
    ITEMS_PER_SET: 6,
    ITEMS_PER_USER: 4,
    POSTS_PER_USER: 2,
    NUM_UPDATE_ITEMS: 2,
  }
  await populate(db, microPopulation(parameters))
  const model: SessionModel = { transitions: microModels[name]!, parameters }
  const { sample } = await runSessions({ benchmark, model, db, sessions: 8, operations: 600 })
  expect(sample.errors).toBe(0)
  expect(sample.operations).toBe(600)
  const done = sample.kinds.filter(({ service }) => service.count > 0).map((kind) => kind.name)
  const named = Object.keys(microModels[name]!).filter((key) => /^[A-Z]+_[A-Z_]+$/.test(key))
  expect(done.toSorted()).toEqual(named.toSorted())
})

test('a population is read again, and what is missing is told', async () => {
  const [users] = microPopulation({ USER_NUM: 3, ITEMS_PER_USER: 2 })
  const lossy = {
    ...users!,
    fill: async (db: EntityDb, user: number, draw: never) =>
      user === 2 ? undefined : users!.fill(db, user, draw),
  }
  await expect(populate(open(), [lossy])).rejects.toThrow(
    'user 2 is not as it was made: it has 0 items, not 2.',
  )
})

test('a population by no callers, or of a number that does not count, is refused', async () => {
  await expect(populate(open(), [], { callers: 0 })).rejects.toThrow(
    /callers of populate\(\) must be a whole number/,
  )
  expect(() => microPopulation({ USER_NUM: 2.5 })).toThrow(
    'USER_NUM must be a whole number of at least 1, got 2.5.',
  )
  expect(() => microPopulation({ USERS: 3 } as object)).toThrow('The benchmark has no parameter USERS.')
  await expect(populate(open(), {} as never)).rejects.toThrow('takes a list of populations, got an object')
})

test('a population is the same for the same seed, in any order of its pieces', async () => {
  const made = async (callers: number, seed: number) => {
    const db = open()
    await populate(db, microPopulation({ USER_NUM: 6, ITEMS_PER_USER: 3 }), { callers, seed })
    return Promise.all([1, 2, 3, 4, 5, 6].map((owner) => db.byIndex(Item, 'owner', owner)))
  }
  expect(await made(5, 1)).toEqual(await made(1, 1))
  expect(await made(5, 1)).not.toEqual(await made(5, 2))
})

describe('conflicts', () => {
  const put = async (db: EntityDb, name: 'item-put' | 'shared-put', model: Partial<SessionModel>) => {
    const transitions = microModels[name]!
    const options = { sessions: 64, operations: 700, statistics: () => db.statistics() }
    const { sample, statistics } = await runSessions({
      benchmark,
      db,
      model: { transitions, ...model },
      ...options,
    })
    expect(sample.errors).toBe(0)
    return { done: sample.operations, ratio: statistics['conflicts']! / statistics['committed']! }
  }

  test('rise as there are fewer groups, and no update is lost', async () => {
    const ratios: number[] = []
    for (const SET_NUM of [400, 20]) {
      const db = open()
      const parameters = { SET_NUM, ITEMS_PER_SET: 1_600 / SET_NUM, CONTENT_LENGTH: 8, USER_NUM: 2 }
      await populate(db, microPopulation(parameters), { check: false })
      const { done, ratio } = await put(db, 'shared-put', { parameters })
      expect(await updatesOf(db, Shared, SET_NUM)).toBe(done)
      ratios.push(ratio)
    }
    const [many, few] = ratios as [number, number]
    expect(many).toBeLessThan(few)
  })

  test('are absent where each session has users of its own', async () => {
    const db = open()
    const parameters = { USER_NUM: 64, ITEMS_PER_USER: 5, NUM_UPDATE_ITEMS: 4, ITEMS_PER_SET: 5, SET_NUM: 1 }
    await populate(db, microPopulation(parameters))
    const { done, ratio } = await put(db, 'item-put', {
      parameters,
      users: { first: 1, count: 64, partition: true },
    })
    expect(ratio).toBe(0)
    expect(await updatesOf(db, Item, 64)).toBe(done * 4)
  })

  test.each(['optimistic', 'pessimistic', 'default'] as const)(
    'lose no update with the policy %s',
    async (retry) => {
      const db = entities(keyValue(memory(), []), microTypes, { retry })
      const parameters = { SET_NUM: 1, ITEMS_PER_SET: 2, USER_NUM: 2, CONTENT_LENGTH: 4 }
      await populate(db, microPopulation(parameters))
      const model = { transitions: microModels['shared-put']!, parameters }
      const { sample } = await runSessions({ benchmark, db, model, sessions: 4, operations: 60 })
      const succeeded = sample.kinds.reduce((sum, { service }) => sum + service.count, 0)
      expect(await updatesOf(db, Shared, 1)).toBe(succeeded)
      expect(sample.errors).toBe(0)
    },
  )
})
