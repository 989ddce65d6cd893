import { type Bytes, type KeyValue, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { openStores } from '@unikv/manager'
import { expect, test } from 'vitest'
import { type Action, type Tactic, TunerLog, tuner } from '../src/index.ts'
import { actionOf } from './actions.ts'

/** Does nothing, and says that it helps. */
const planted: Tactic = {
  name: 'planted',
  limitMs: 1000,
  canSwitch: true,
  knowledge: { effects: [], cost: 'Nothing at all.', source: 'a test' },
  applies: () => [
    { change: { planted: true }, title: 'a change', latency: { read: 0.5 }, seconds: 0, figures: [] },
  ],
  carryOut: async () => {},
  undo: async () => {},
  isDone: async () => true,
}

/** A process with a promise that is always broken, and a tuner that looks when it is told. */
async function processOf(processName: string, keepIn: KeyValue<string, Bytes>) {
  const read = { store: 'users', operation: 'read', percentile: 50, belowMs: 1e-6 } as const
  const manager = await openStores({
    stores: { users: { url: 'memory:', layers: ['json'] }, figures: 'memory:' },
    monitor: { keepIn: 'figures', processName, policies: [{ ...read, over: '5s', minCalls: 1 }] },
  })
  const errors: unknown[] = []
  const tuning = tuner({
    manager,
    keepIn,
    tactics: [planted],
    everyMs: 60_000,
    onError: (error) => errors.push(error),
  })
  return {
    tuning,
    errors,
    async looks(count: number): Promise<readonly Action[]> {
      for (let i = 0; i < count; i += 1) {
        await manager.stores.users.get('ada')
        await tuning.look()
      }
      return tuning.actions()
    },
    async [Symbol.asyncDispose]() {
      await tuning.close()
      await manager.close()
    },
  }
}

test('of two tuners on one log one acts, and the other goes on when that one ends', async () => {
  const keepIn = keyValue(memory())
  await using first = await processOf('web-1', keepIn)
  await using second = await processOf('web-2', keepIn)
  await first.looks(1)
  expect(await second.looks(8)).toEqual([])
  const [proposed] = await first.looks(8)
  expect(proposed?.steps).toMatchObject([{ state: 'proposed', by: 'web-1' }])
  await first.tuning.close()
  await second.tuning.approve(proposed?.id ?? '')
  const actions = await second.looks(2)
  expect(actions).toHaveLength(1)
  expect(actions[0]?.steps).toContainEqual(expect.objectContaining({ state: 'begun', by: 'web-2' }))
  expect([first.errors, second.errors]).toEqual([[], []])
})

test('a record that was cut is told, and keeps no other action from going on', async () => {
  const keepIn = keyValue(memory())
  const log = new TunerLog(keepIn)
  await log.propose(actionOf({ id: 'aaaaaa', store: 'carts' }))
  const records = keepIn.namespace('unikv.tuner')
  for await (const [key, { value }] of records.entries({ prefix: 'action/' }))
    await records.set(key, value.subarray(0, value.length / 2))
  await expect(log.actions()).rejects.toMatchObject({
    code: 'CORRUPT',
    message: expect.stringMatching(
      /^The record action\/\S+\/aaaaaa of a tuner is not what this tuner writes\./,
    ),
  })
  await using web = await processOf('web-1', keepIn)
  const [action, ...others] = await web.looks(8)
  expect([action?.state, others]).toEqual(['proposed', []])
  expect(web.errors[0]).toMatchObject({ code: 'CORRUPT' })
})
