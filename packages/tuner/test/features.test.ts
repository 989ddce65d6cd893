import type { Policy } from '@unikv/monitor/recorder'
import { expect, test } from 'vitest'
import { features } from '../src/learn/features.ts'
import type { Action } from '../src/log/action.ts'
import { figuresOf, loadOf, type subjectOf, vectorFrom } from './observed.ts'

const promise: Policy = { store: 'users', operation: 'read', belowMs: 10 }
const calm = { read: figuresOf(100, 1) }

/** What differs between two vectors, by name. */
function moved(before: Float64Array, after: Float64Array): Record<string, number | undefined> {
  const changes = features.flatMap(({ name }, i) =>
    before[i] === after[i] ? [] : [[name, after[i]] as const],
  )
  return Object.fromEntries(changes)
}

const from = (...given: Parameters<typeof subjectOf>): Record<string, number | undefined> =>
  moved(vectorFrom(calm), vectorFrom(...given))

/** An action as far as the features look at it. */
function action(tactic: string, state: Action['state'], change: Action['change'] = {}): Action {
  const steps = [{ at: 1e12 + 240_000, state: 'begun', by: 'test' }]
  return { tactic, state, change, isOn: state === 'checking', steps } as unknown as Action
}

test('a store is 200 to 230 numbers, each with a name of its own', () => {
  expect(features.length).toBeGreaterThanOrEqual(200)
  expect(features.length).toBeLessThanOrEqual(230)
  expect(new Set(features.map(({ name }) => name)).size).toBe(features.length)
  expect(vectorFrom({}).every((value) => Number.isFinite(value))).toBe(true)
})

test.each(['read', 'set', 'delete', 'touch', 'increment', 'scan', 'native'] as const)(
  'calls of %s move its numbers in all windows',
  (operation) => {
    const busy = { ...calm, [operation]: figuresOf(300, 8, { failed: 30, bytes: 3000 }) }
    const numbers = from(busy)
    for (const over of ['5 s', '30 s', '5 min']) {
      expect(numbers).toMatchObject({
        [`rate of ${operation} over ${over}`]: 60,
        [`bytes of ${operation} over ${over}`]: 600,
        [`errors of ${operation} over ${over}`]: 0.1,
        [`p50 of ${operation} over ${over}`]: expect.closeTo(8, 0),
        [`p99 of ${operation} over ${over}`]: expect.closeTo(8, 0),
      })
      if (operation !== 'read') expect(numbers[`mix of ${operation} over ${over}`]).toBe(0.75)
    }
  },
)

test('caches, processes and queries move theirs', () => {
  expect(from({ read: figuresOf(100, 1, { hits: 80 }) })).toMatchObject({ 'hit rate of read over 30 s': 0.8 })
  const loads = [loadOf(0.2), loadOf(0.9)]
  expect(from(calm, { window: { loads, processes: 7 } })).toMatchObject({
    'processor of the busiest process': 0.9,
    'processor of process 2 by load': 0.2,
    'processes of the application': 7,
  })
  const queries = { ...calm, native: figuresOf(60, 2), 'by ip': figuresOf(50, 2), 'by at': figuresOf(10, 30) }
  expect(from(queries, { indexes: [['at', 'ip']] })).toMatchObject({
    indexes: 1,
    'rate of the busiest query over 30 s': 10,
    'an index serves the second query over 30 s': 1,
  })
})

test('a server moves its numbers, and one that fails tells none', () => {
  const statistics = {
    connections: 80,
    maxConnections: 100,
    memoryBytes: 50,
    maxMemoryBytes: 200,
    records: 9,
  }
  const users = { at: 1e12, statistics, evictionsPerSecond: 3, growthBytesPerHour: 4 }
  const numbers = from(calm, { window: { servers: { users } } })
  expect(numbers).toEqual({
    'the server tells of itself': 1,
    'connections in use': 0.8,
    'connections of the server': 80,
    'memory of the server in use': 0.25,
    'evictions of the server': 3,
    'growth of stored data': 4,
    records: 9,
  })
  expect(from(calm, { window: { servers: { users: { ...users, error: 'UNAVAILABLE' } } } })).toEqual({})
})

test('a promise tells how much of it is used, and for how long it is broken', () => {
  const policies: Policy[] = [
    promise,
    { store: 'users', operation: 'read', maxErrorShare: 0.01 },
    { store: 'users', operation: 'read', minHitRate: 0.8 },
  ]
  const brokenSince = (policy: Policy): number | undefined =>
    policy === promise ? 1e12 + 270_000 : undefined
  const read = figuresOf(100, 40, { failed: 2, hits: 40 })
  expect(from({ read }, { policies, brokenSince })).toMatchObject({
    'use of promise 1': expect.closeTo(4, 1),
    'promise 1 is broken': 1,
    'time that promise 1 is broken': 30,
    'use of promise 2': 2,
    'use of promise 3': 2,
  })
})

test('the configuration stands as it is, and as it is meant to be', () => {
  const configuration = { layers: ['json', { compression: {} }] } as const
  const change = { layer: 'cache', before: null, after: {} }
  const actions = [action('add-cache', 'approved', change)]
  const numbers = from(calm, { configuration, actions })
  expect(numbers).toEqual({
    'time since that began or ended': 60,
    'layer compression is there': 1,
    'layer compression is intended': 1,
    'layer cache is intended': 1,
  })
  const made = [action('add-index', 'checking', { by: ['ip'] })]
  expect(from(calm, { actions: made })).toEqual({
    indexes: 1,
    'add-index is in effect': 1,
    'add-index is approved': 1,
    'the store is being changed': 1,
    'time since that began or ended': 60,
  })
})
