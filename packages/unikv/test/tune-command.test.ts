import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Manager, openStores } from '@unikv/manager'
import { type Nothing, type Tactic, type Tuner, TunerLog, tuner } from '@unikv/tuner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inProcess, root } from './command-line.ts'

const log = `lmdb:${join(root, 'log')}`
const config = {
  stores: { users: { url: 'memory:', layers: ['json'] }, log },
  monitor: {
    keepIn: 'log',
    processName: 'web-1',
    flushMs: 200,
    policies: [
      { store: 'users', operation: 'read', percentile: 50, belowMs: 0.000001, over: '5s', minCalls: 1 },
    ],
  },
} as const

/** Does nothing, and says that it helps. */
const planted: Tactic = {
  name: 'planted',
  limitMs: 1000,
  knowledge: { effects: [], cost: 'Nothing at all.', source: 'a test' },
  applies: () => [
    {
      change: { planted: true },
      title: 'a planted change',
      latency: { read: 0.5 },
      seconds: 0,
      figures: [{ name: 'reads', value: 1200, unit: 'calls/s' }],
    },
  ],
  carryOut: async () => {},
  undo: async () => {},
  isDone: async () => true,
}
let manager: Manager<typeof config> | undefined
let tuning: Tuner | undefined
let caller: NodeJS.Timeout | undefined

beforeAll(async () => {
  await writeFile(join(root, 'unikv.config.json'), JSON.stringify(config))
  manager = await openStores(config)
  const { users } = manager.stores
  caller = setInterval(() => void users.get('ada'), 5)
  tuning = tuner({ manager, tactics: [planted], everyMs: 100 })
  while ((await tuning.actions()).length === 0) await wait(50)
})
afterAll(async () => {
  clearInterval(caller)
  await tuning?.close()
  await manager?.close()
})

const id = async (): Promise<string> => (await tuning?.actions())?.[0]?.id ?? ''

test('one look shows the promises, and the proposals with their reasons', async () => {
  const { code, out, err } = await inProcess(['tune', '--once'])
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/50 % of read of users +[\d.]+ ms +0\.000001 ms +broken/)
  expect(out).toContain(`Proposed, ${await id()}: a planted change`)
  expect(out).toContain('Why: The promise is that 50 % of the calls of read of users take less than')
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('explain says why, what it costs and what would change the mind', async () => {
  const { out } = await inProcess(['tune', 'explain', (await id()).slice(0, 4)])
  expect(out).toContain('· reads: 1,200 calls/s')
  expect(out).toContain('Price: Nothing at all.')
  expect(out).toContain('This would change the decision:')
})

test('an answer is kept with the name of its owner, and another one is refused', async () => {
  const { code, out } = await inProcess(['tune', 'reject', await id()])
  expect([code, out]).toEqual([0, expect.stringContaining('Rejected')])
  const { code: again, err } = await inProcess(['tune', 'approve', await id()])
  expect([again, err.replace(/\s+/g, ' ')]).toEqual([
    2,
    `unikv: The action ${await id()} is rejected, so it cannot be approved. `,
  ])
  const { out: lines } = await inProcess(['tune', 'history', '--json'])
  const [action] = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(action.steps.map(({ state }: { state: string }) => state)).toEqual(['proposed', 'rejected'])
  expect((await inProcess(['tune', 'history'])).out).toContain('a planted change')
})

test('a record that was cut is told beside the history', async () => {
  const records = (manager as Manager<typeof config>).stores.log.namespace('unikv.tuner')
  const key = 'action/2026-01-01T00:00:00.000Z/ffffff'
  await records.set(key, new TextEncoder().encode('{"format":1,"id":"fff'))
  const { code, out, err } = await inProcess(['tune', 'history'])
  expect([code, out]).toEqual([0, expect.stringContaining('a planted change')])
  expect(err.replace(/\s+/g, ' ')).toContain(`The record ${key} of a tuner is not what this tuner writes.`)
  await records.delete(key)
})

test('a pause is shown, and ended', async () => {
  const { code, out } = await inProcess(['tune', 'pause', 'users', '--for', '30m', '--why', 'a copy'])
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^Paused: users until [\d: -]+ UTC \(by .+, a copy\)\. unikv tune resume/),
  ])
  await expect(tuning?.pause({ why: 5 as never })).rejects.toThrow('`why` of a pause must be a text.')
  await tuning?.pause({ why: 'a repair' })
  const { out: shown } = await inProcess(['tune', '--once'])
  expect(shown).toMatch(/Paused: users until .*a copy\)/)
  expect(shown.replace(/\s+/g, ' ')).toMatch(/Paused: all stores until .*web-1, a repair\)/)
  expect((await inProcess(['tune', 'resume'])).out).toBe(
    'Ended: the pause of users.\nEnded: the pause of all stores.\n',
  )
  expect((await inProcess(['tune', 'resume', 'users'])).out).toBe('There was no pause.\n')
})

test('a decision to do nothing is shown with its reasons while it holds', async () => {
  const log = new TunerLog((manager as Manager<typeof config>).stores.log)
  const nothing = (store: string, at: number, weighed: Nothing['weighed']): Promise<void> => {
    const of = { figure: 'latency', name: 'read', percentile: 99 } as const
    const promise = `99 % of read of ${store}`
    const trouble = { store, of, promise, found: 12, limit: 5, unit: 'ms', sinceAt: at }
    return log.decidedNothing({ format: 1, at, trouble, weighed })
  }
  const index = { tactic: 'add-index', title: 'an index on ip', relief: 0, expected: 12, saved: 0 }
  await nothing('carts', Date.now(), [
    { ...index, breakEven: null, learned: 1, against: 'carts has no column ip.' },
  ])
  await nothing('orders', Date.now(), [])
  await nothing('views', Date.now() - 3_600_000, [])
  const { out } = await inProcess(['tune', '--once'])
  expect(out.replace(/\s+/g, ' ')).toContain(
    'Nothing is proposed for carts. The promise is that 99 % of the calls of read of carts take less than 5 ms. As measured, 99 % of them take up to 12 ms. · Not an index on ip: carts has no column ip.',
  )
  expect(out).toContain('· No tactic applies.')
  expect(out).not.toContain('views')
  const { out: data } = await inProcess(['tune', '--once', '--json'])
  const stores = JSON.parse(data).nothings.map(({ trouble }: Nothing) => trouble.store)
  expect(stores).toEqual(expect.arrayContaining(['carts', 'orders']))
})

test('what would have been done in the past: nothing was broken for three minutes', async () => {
  const { code, out } = await inProcess(['tune', '--dry-run'])
  expect([code, out]).toEqual([0, expect.stringContaining('Nothing would have been proposed.')])
})

test.each([
  [['tune', 'approve', 'zzzzzz'], "No action has the name 'zzzzzz'. unikv tune history lists them."],
  [['tune', '--url', log, '--config', 'a.json'], 'Choose --url, or --config with --keep-in, not both.'],
  [['tune', '--once', '--keep-in', 'users'], 'users has the codec json'],
  [['tune', 'pause', 'user'], "No store is named 'user'. The configuration has: users, log."],
  [['tune', 'pause', '--for', '8d'], '--for must be at most 7 days.'],
  [['tune', '--interval', '1ms'], '--interval must be from 100ms to 24h.'],
])('%j is refused with a sentence', async (args, sentence) => {
  const { code, err } = await inProcess(args)
  expect(code).toBeGreaterThan(0)
  expect(err.replace(/\s+/g, ' ')).toContain(sentence)
})
