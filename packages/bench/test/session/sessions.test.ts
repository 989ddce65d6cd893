import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/loop/clock.ts'
import { type Benchmark, interaction } from '../../src/session/model/benchmark.ts'
import type { SessionModel } from '../../src/session/model/session-model.ts'
import { runSessions, type SessionRun } from '../../src/session/run/run-sessions.ts'

interface Store {
  readonly clock: VirtualClock
  /** User of each execution, and when it began. */
  readonly log: (readonly [user: number, name: string, atMs: number])[]
  running: number
  most: number
}

interface State {
  readonly range: number | undefined
  seen: number
}

const act = (name: string, mode?: string) =>
  interaction<Store, State, { readonly user: number }, { readonly mode?: string | undefined }>({
    modes: mode === undefined ? [] : [mode],
    prepare: ({ user }) => ({ user }),
    async execute({ user }, store) {
      store.log.push([user, name, store.clock.now()])
      store.most = Math.max(store.most, ++store.running)
      await store.clock.sleep(5)
      store.running--
      return { mode }
    },
    complete: ({ state }) => void state.seen++,
  })

const fails = interaction<Store, State, object, object>({
  prepare: () => ({}),
  execute: () => Promise.reject(Object.assign(new Error('The line is cut.'), { code: 'ECONNRESET' })),
})

const lacks = interaction<Store, State, object, object>({
  prepare: ({ state }) => (state.seen > 0 ? {} : undefined),
  execute: async () => ({}),
})

const benchmark: Benchmark<Store, State> = {
  name: 'test',
  interactions: { A: act('A'), B: act('B'), LOSE: act('LOSE', 'LOST'), FAIL: fails, LACK: lacks },
  models: {},
  begin: ({ RANGE }) => ({ range: RANGE as number | undefined, seen: 0 }),
}

const run = async (model: SessionModel, options: Partial<SessionRun<Store, State>> = {}) => {
  const clock = new VirtualClock()
  const db: Store = { clock, log: [], running: 0, most: 0 }
  const sample = await runSessions({ benchmark, model, db, clock, now: () => clock.now(), ...options })
  return { ...sample, db, kinds: new Map(sample.sample.kinds.map((kind) => [kind.name, kind])) }
}

const two: SessionModel = { transitions: { START: ['A'], A: ['B'], B: ['END'] } }

describe('closed sessions', () => {
  test('do one interaction after the other, with think times outside of their latency', async () => {
    const { db, kinds, sample, sessions } = await run(
      { ...two, think: { before: { ms: 20 }, after: { ms: 100 } } },
      { mostSessions: 2 },
    )
    expect(db.log.map(([, name, at]) => [name, at])).toEqual([
      ['A', 20],
      ['B', 145],
      ['A', 170],
      ['B', 295],
    ])
    expect(kinds.get('A')!.service.count).toBe(2)
    expect(kinds.get('A')!.service.max).toBe(5e6)
    expect(sample.operations).toBe(4)
    expect(sessions).toEqual({ begun: 2, ended: 2, interactions: 4, mostInteractions: 2, newUsers: 0 })
  })

  test('of as many callers as sessions never wait for one', async () => {
    const { db, waits, sample } = await run(
      { ...two, think: { before: { avgMs: 5, maxMs: 40 } } },
      { sessions: 16, durationMs: 500 },
    )
    expect(waits.max).toBe(0)
    expect(db.most).toBeLessThanOrEqual(16)
    expect(sample.elapsedMs).toBeLessThanOrEqual(505)
    expect(sample.invalid).toEqual([])
  })

  test('end with the run, however long a user thinks', async () => {
    const { sample, sessions, db } = await run(
      { ...two, think: { before: { ms: 1e6 } } },
      { sessions: 3, durationMs: 250 },
    )
    expect(db.log).toEqual([])
    expect(sample.elapsedMs).toBeLessThanOrEqual(350)
    expect(sessions).toMatchObject({ begun: 3, ended: 0 })
  })

  test('end when the signal is aborted, and after so many operations', async () => {
    const controller = new AbortController()
    const endless: SessionModel = { transitions: { START: ['A'], A: ['A'] } }
    const clock = new VirtualClock()
    void clock.sleep(100).then(() => controller.abort())
    const db: Store = { clock, log: [], running: 0, most: 0 }
    const { sample } = await runSessions({
      benchmark,
      model: endless,
      db,
      clock,
      sessions: 2,
      signal: controller.signal,
    })
    expect(sample.operations).toBeGreaterThan(30)
    expect(sample.operations).toBeLessThan(45)
    expect((await run(endless, { sessions: 4, operations: 10 })).db.log).toHaveLength(10)
  })
})

describe('semi-open sessions', () => {
  test('share few callers: users think while others act', async () => {
    const { db, sample, waits, sessions } = await run(
      { ...two, think: { before: { ms: 90 } } },
      { sessions: 10, callers: 2, durationMs: 1_000 },
    )
    expect(db.most).toBe(2)
    // Ten users, each with 5 ms of work in 95 ms: a lone caller has work half of the time, two keep up.
    expect(sample.operations).toBeGreaterThan(90)
    expect(sessions.begun).toBeGreaterThan(40)
    // All ten begin together, so the last one waits for four others.
    expect(waits.max! / 1e6).toBeCloseTo(20, 0)
  })

  test('are cut off at the end of the run', async () => {
    const { sessions } = await run(two, { sessions: 5, callers: 1, operations: 7 })
    expect(sessions.begun - sessions.ended).toBeGreaterThan(0)
    expect(sessions.begun - sessions.ended).toBeLessThanOrEqual(5)
  })
})

describe('results', () => {
  test('of interactions lead by their mode, and are counted', async () => {
    const { db, modes } = await run(
      { transitions: { START: ['LOSE'], LOSE: ['A'], 'LOSE@LOST': ['B'], A: ['END'], B: ['END'] } },
      { mostSessions: 3 },
    )
    expect(db.log.map(([, name]) => name)).toEqual(['LOSE', 'B', 'LOSE', 'B', 'LOSE', 'B'])
    expect(modes).toEqual({ LOSE: { LOST: 3 } })
  })

  test('that are failures are errors of their interaction with the mode UNKNOWN_ERROR', async () => {
    const { db, modes, kinds, sample } = await run(
      { transitions: { START: ['FAIL'], FAIL: ['A'], 'FAIL@UNKNOWN_ERROR': ['B'], A: ['END'], B: ['END'] } },
      { mostSessions: 2 },
    )
    expect(db.log.map(([, name]) => name)).toEqual(['B', 'B'])
    expect(modes).toEqual({ FAIL: { UNKNOWN_ERROR: 2 } })
    expect(kinds.get('FAIL')).toMatchObject({ errors: 2, errorCodes: { ECONNRESET: 2 } })
    expect(sample.firstError).toBe('The line is cut.')
  })

  test('without a parameter are not executed, and have the mode MISSING_PARAM', async () => {
    const { modes, kinds } = await run(
      { transitions: { START: ['LACK'], LACK: ['END'], 'LACK@MISSING_PARAM': ['A'], A: ['LACK'] } },
      { mostSessions: 2 },
    )
    expect(modes).toEqual({ LACK: { MISSING_PARAM: 2 } })
    expect(kinds.get('LACK')!.service.count).toBe(2)
  })

  test('with a mode that is not declared are mistakes of the benchmark', async () => {
    const odd = { ...benchmark, interactions: { A: { ...act('A', 'ODD'), modes: [] } } }
    const { sample } = await run(
      { transitions: { START: ['A'], A: ['END'] } },
      { benchmark: odd, mostSessions: 1 },
    )
    expect(sample.firstError).toBe('A ended with the mode ODD, which it does not declare in `modes`.')
  })

  test('hold the growth of the counts of the data access', async () => {
    let conflicts = 7
    const { statistics } = await run(two, {
      mostSessions: 1,
      statistics: () => ({ conflicts: (conflicts += 2), control: 'locks' }),
    })
    expect(statistics).toEqual({ conflicts: 2 })
  })
})

describe('a model that never comes to an execution', () => {
  test.each([
    ['as its sessions go around', { START: ['LACK'], LACK: ['LACK', 'END'] }, {}],
    ['as its sessions end at once', { START: ['LACK'], LACK: ['LACK'] }, { limits: { maxCount: 1 } }],
  ])('is refused, %s', async (_, transitions, more) => {
    await expect(run({ transitions, ...more }, { durationMs: 100 })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    })
  })
})

describe('users', () => {
  const usersOf = (log: Store['log']): ReadonlySet<number> => new Set(log.map(([user]) => user))

  test('of several places are disjoint, and together they are all', async () => {
    const users = { first: 10, count: 23, partition: true }
    const { db } = await run({ ...two, users }, { sessions: 5, mostSessions: 2_000 })
    expect([...usersOf(db.log)].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 23 }, (_, i) => 10 + i),
    )
    const starts = db.log.filter(([, , at]) => at === 0).map(([user]) => user)
    expect(new Set(starts).size).toBe(5)
  })

  test('of several processes are disjoint, too', async () => {
    const users = { count: 12, partition: true, newRatio: 0.2 }
    const of = async (index: number) => {
      const { db } = await run({ ...two, users }, { sessions: 4, mostSessions: 400, share: { index, of: 2 } })
      return usersOf(db.log)
    }
    const [first, second] = [await of(0), await of(1)]
    expect([...first].filter((user) => second.has(user))).toEqual([])
    expect([...first, ...second].filter((user) => user <= 12).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => 1 + i),
    )
  })

  test('are new in a share of the sessions, and come again', async () => {
    const { db, sessions } = await run(
      { ...two, users: { count: 50, newRatio: 0.1 } },
      { sessions: 3, mostSessions: 3_000 },
    )
    expect(sessions.newUsers).toBe([...usersOf(db.log)].filter((user) => user > 50).length)
    // Three standard deviations of a binomial count.
    expect(Math.abs(sessions.newUsers - 300)).toBeLessThan(3 * Math.sqrt(270))
    const again = db.log.filter(([user, name]) => user > 50 && name === 'A').length
    expect(again).toBeGreaterThan(sessions.newUsers * 1.5)
  })

  test('that are too few for a partition are refused', async () => {
    const told = /There are 2 users for 3 sessions at the same time/
    await expect(
      run({ ...two, users: { count: 2, partition: true } }, { sessions: 3, operations: 1 }),
    ).rejects.toThrow(told)
  })
})

test('partitions of a parameter are disjoint, and together they are the whole range', async () => {
  const seen = new Map<number, Set<number>>()
  const drawing: Benchmark<Store, State> = {
    ...benchmark,
    interactions: {
      A: interaction<Store, State, { readonly range: number; readonly user: number }, object>({
        prepare: ({ values, user }) => ({ range: values['RANGE'] as number, user }),
        execute: async ({ range, user }) => {
          seen.set(user, (seen.get(user) ?? new Set()).add(range))
          return {}
        },
      }),
    },
  }
  const model: SessionModel = {
    transitions: { START: ['A'], A: ['A'] },
    parameters: { RANGE: { random: 'int', min: 100, max: 116, partition: true, each: 'interaction' } },
    users: { count: 4, partition: true },
  }
  await run(model, { benchmark: drawing, sessions: 4, operations: 4_000 })
  const all = [...seen.values()].flatMap((set) => [...set])
  expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 17 }, (_, i) => 100 + i))
  await expect(run(model, { benchmark: drawing, sessions: 18, operations: 1 })).rejects.toThrow(
    /RANGE has 17 numbers for 18 sessions|There are 4 users/,
  )
})

test('the same seed draws the same sessions', async () => {
  const model: SessionModel = {
    transitions: { START: ['A', 'B'], A: ['A', 'B', 'END'], B: ['A', 'END'] },
    users: { count: 9 },
  }
  const log = async (seed: number) => (await run(model, { mostSessions: 50, seed })).db.log
  expect(await log(1)).toEqual(await log(1))
  expect(await log(1)).not.toEqual(await log(2))
})
