import { expect, test } from 'vitest'
import { explained } from '../src/index.ts'
import { actionOf } from './actions.ts'
import { type Spec, World } from './simulation/world.ts'

const busy: Spec = { reads: 12_000, readMs: 0.2, places: 32, records: 20_000 }

/** A process whose event loop is busier with each read that its cache does not answer. */
async function proposedAt(loopShare: number, spec: Spec) {
  const world = new World(spec, { policies: [] })
  world.loopShare = loopShare
  await world.windows(6)
  return world.actions()
}

test('a processor that is used up starts a decision, where hits would relieve it', async () => {
  const [action = actionOf()] = await proposedAt(0.97, busy)
  expect([action.tactic, action.trouble.of]).toEqual(['add-cache', { figure: 'resource', name: 'loop' }])
  expect(explained(action).join('\n')).toContain(
    'Why: Use of the event loop of a process, which is its processor, should stay below 90 %, and is 97 %.',
  )
})

test.each([
  ['below 90 %', 0.85, busy],
  ['by work that is not of the store', 0.97, { ...busy, reads: 300 }],
])('a processor that is busy %s is left alone', async (_, loopShare, spec) => {
  expect(await proposedAt(loopShare, spec)).toEqual([])
})

test.each([
  [0.8, 'kept'],
  [1, 'undone'],
])('a cache that leaves %d of the processor is %s', async (left, state) => {
  const world = new World(busy, { policies: [], approve: () => true })
  for (let i = 0; i < 40; i += 1) {
    const isCached = JSON.stringify(world.configuration.layers).includes('cache')
    // No two windows are alike.
    world.loopShare = 0.95 * (isCached ? left : 1) * (1 + 0.01 * (i % 4))
    await world.windows(1)
  }
  expect((await world.actions())[0]).toMatchObject({ tactic: 'add-cache', state })
})
