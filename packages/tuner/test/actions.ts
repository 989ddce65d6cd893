import type { Action } from '../src/index.ts'

/** An action that was kept. */
export function actionOf(more: Partial<Action> = {}): Action {
  const at = more.at ?? 1
  return {
    format: 1,
    id: 'abcdef',
    store: 'users',
    kind: 'postgres',
    table: 'users',
    tactic: 'planted',
    change: { planted: true },
    title: 'a change',
    state: 'kept',
    isOn: true,
    at,
    lapsesAt: at + 86_400_000,
    trouble: {
      store: 'users',
      of: { figure: 'latency', name: 'read', percentile: 99 },
      promise: '99 % of read of users',
      found: 9,
      limit: 5,
      unit: 'ms',
      sinceAt: at,
    },
    figures: [],
    weighed: [],
    path: [],
    cost: 'Nothing.',
    load: { callsPerSecond: 1, mix: { read: 1 } },
    concerns: ['read'],
    samples: [],
    steps: [{ at, state: 'proposed', by: 'a test' }],
    ...more,
  }
}
