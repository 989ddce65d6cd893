import { openStores } from '@unikv/manager'
import { expect, test } from 'vitest'
import { type Tactic, TunerLog, tuner } from '../src/index.ts'

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

test('a yes of another process is heard before the next look', async () => {
  await using manager = await openStores({
    stores: { users: { url: 'memory:', layers: ['json'] }, log: 'memory:' },
    monitor: {
      keepIn: 'log',
      policies: [
        { store: 'users', operation: 'read', percentile: 50, belowMs: 1e-6, over: '5s', minCalls: 1 },
      ],
    },
  })
  await using tuning = tuner({ manager, tactics: [planted], everyMs: 60_000 })
  while ((await tuning.actions()).length === 0) {
    await manager.stores.users.get('ada')
    await tuning.look()
  }
  const [{ id } = { id: '' }] = await tuning.actions()
  await new TunerLog(manager.stores.log).answer(id, 'approved', 'the owner')
  // The next look by itself is a minute away.
  await expect
    .poll(async () => (await tuning.actions())[0]?.steps.map(({ state }) => state), { timeout: 50_000 })
    .toContain('begun')
})
