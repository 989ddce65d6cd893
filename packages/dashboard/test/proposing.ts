import { openStores } from '@unikv/manager'
import { type Tactic, tuner } from '@unikv/tuner'

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

/** An application with a promise that is always broken and one that is always kept, and its tuner, which has proposed a change. */
export async function proposing() {
  const read = { store: 'users', operation: 'read', over: '5min', minCalls: 1 } as const
  const manager = await openStores({
    stores: { users: { url: 'memory:', layers: ['json'] }, others: 'memory:' },
    monitor: {
      policies: [
        { ...read, percentile: 50, belowMs: 1e-6 },
        { ...read, maxErrorShare: 0.5 },
        { store: 'others', operation: 'set', belowMs: 5 },
      ],
    },
  })
  const tuning = tuner({ manager, tactics: [planted], everyMs: 60_000 })
  for (let i = 0; i < 8; i += 1) {
    await manager.stores.users.get('ada')
    await tuning.look()
  }
  const close = async (): Promise<void> => {
    await tuning.close()
    await manager.close()
  }
  return { manager, tuning, close }
}
