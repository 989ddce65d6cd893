import { mulberry32 } from '@unikv/test-kit'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import type { Tactic } from '../src/tactic.ts'
import { situations } from './simulation/situations.ts'
import { type Spec, World } from './simulation/world.ts'

/** Days without an approval: all of them by `npm run prove -- tuner-days`. */
const days = Number(process.env['UNIKV_TUNER_DAYS'] ?? (isWhole ? 200 : 50))
/** One world goes through so many of them. */
const daysInARow = 10

describe('decisions', { timeout: 600_000 }, () => {
  test('finds the obvious, and proposes nothing that is there', async () => {
    const [wrong, there]: [string[], string[]] = [[], []]
    for (const { name, spec, policy, right } of situations) {
      const world = new World(spec, { policies: [{ store: 'users', ...policy }] })
      await world.windows(12)
      const actions = await world.actions()
      there.push(...actions.filter((action) => world.has(action)).map(({ title }) => `${name}: ${title}`))
      const [first] = actions
      const choice = first?.tactic ?? 'none'
      if (!right.includes(choice)) wrong.push(`${name}: ${choice}, not ${right.join(' or ')}`)
    }
    expect(situations).toHaveLength(40)
    expect(wrong.slice(4)).toEqual([])
    expect(there).toEqual([])
  })

  test('a violation that lasts is seen within three windows of five seconds, one that does not is none', async () => {
    const spec: Spec = { queries: { 'by ip': 20 } }
    const policies = [{ store: 'users', operation: 'native', belowMs: 10, minCalls: 1 }] as const
    const lasting = new World(spec, { policies })
    await lasting.windows(2)
    expect(await lasting.actions()).toEqual([])
    await lasting.windows(1)
    expect(await lasting.actions()).toHaveLength(1)
    const passing = new World(spec, { policies })
    await passing.windows(2)
    passing.spec = { queries: { 'by ip': 20 }, records: 1000 }
    await passing.windows(12)
    expect(await passing.actions()).toEqual([])
  })

  test('leaves healthy workloads alone', async () => {
    const most = isWhole ? 100 : 25
    const random = mulberry32(3)
    let proposals = 0
    for (let i = 0; i < most; i += 1) {
      const spec = healthy(random)
      const world = new World(spec, { policies: promisesOf(spec), seed: i, noise: 0.15 })
      await world.windows(60)
      proposals += (await world.actions()).length
    }
    expect(proposals).toBeLessThanOrEqual(Math.floor(most / 25))
  })

  test('an index is proposed up to the load at which its writes cost more than its queries save', async () => {
    const spec = (writes: number): Spec => ({
      queries: { 'by ip': 4 },
      writes,
      writeMs: 1,
      places: 64,
      records: 5e4,
      url: 'postgres://app@db/app?maxConnections=64',
    })
    const isProposed = async (writes: number): Promise<boolean> => {
      const world = new World(spec(writes), {
        policies: [{ store: 'users', operation: 'native', belowMs: 10 }],
        noise: 0.01,
      })
      await world.windows(12)
      return (await world.actions()).some(({ tactic }) => tactic === 'add-index')
    }
    // A query takes 20.3 ms, and 2 % of that with the index; a write of 1 ms takes 5 % longer.
    const breakEven = (4 * 20.3 * 0.98) / 0.05
    expect(await isProposed(breakEven * 0.9)).toBe(true)
    expect(await isProposed(breakEven * 1.1)).toBe(false)
  })
})

describe('rest', { timeout: 600_000 }, () => {
  const spec: Spec = { queries: { 'by ip': 20 }, writes: 50 }
  const policies = [{ store: 'users', operation: 'native', belowMs: 10 }] as const
  const states = async (world: World) => (await world.actions()).map(({ state }) => state)

  test('in a pause nothing is decided, begun or measured, and after it all goes on', async () => {
    const world = new World(spec, { policies, approve: () => true })
    const pause = async (store: string | null) => {
      const fromAt = Date.now()
      await world.log.pauses.begin({ store, fromAt, untilAt: fromAt + 3_600_000, by: 'owner', why: 'a copy' })
    }
    await pause(null)
    await world.windows(20)
    expect(await states(world)).toEqual([])
    await world.log.pauses.end()
    await world.windows(2)
    expect(await states(world)).toEqual([])
    await world.windows(4)
    expect(await states(world)).toEqual(['checking'])
    await pause('users')
    await pause('others')
    const samples = async () => (await world.actions())[0]?.samples.length
    const before = await samples()
    await world.windows(20)
    expect([await states(world), await samples()]).toEqual([['checking'], before])
    const ended = await world.log.pauses.end('users')
    expect([ended, await world.log.pauses.now()]).toMatchObject([[{ store: 'users' }], [{ store: 'others' }]])
    await world.windows(20)
    expect(await states(world)).toEqual(['kept'])
  })

  test('while new processes take the place of others, nothing is decided', async () => {
    const world = new World(spec, { policies })
    const next = async (names: readonly string[]) => {
      world.names = [...names]
      await world.windows(1)
    }
    for (let i = 0; i < 6; i += 1) await next([`a${i}`, `a${i + 1}`])
    expect(await states(world)).toEqual([])
    // One of ten that begins, and one that is not seen for a moment, are no new version.
    const ten = Array.from({ length: 10 }, (_, i) => `b${i}`)
    await next(ten)
    await next([...ten.slice(1), 'c'])
    await next(ten)
    await next(ten)
    expect(await states(world)).toEqual(['proposed'])
  })
})

describe('actions', { timeout: 600_000 }, () => {
  test('never happen without approval', async () => {
    const random = mulberry32(Number(process.env['UNIKV_SEED'] ?? 5))
    let lapsed = 0
    for (let day = 0; day < days; day += daysInARow) {
      const world = new World(healthy(random), {
        policies: [{ store: 'users', operation: 'read', belowMs: 0.001, minCalls: 1 }],
        seed: day,
        noise: 0.3,
      })
      world.stepMs = 3_600_000
      await world.windows(24 * daysInARow)
      expect(world.carriedOut).toEqual([])
      lapsed += (await world.actions()).filter(({ state }) => state === 'lapsed').length
    }
    expect(lapsed).toBeGreaterThan(0)
  })

  test('are taken back when they do harm, within ten windows, and kept when they help', async () => {
    const outcome = { harmful: 0, useful: 0, neutral: 0 }
    const seeds = isWhole ? 100 : 20
    for (let seed = 0; seed < seeds; seed += 1) {
      for (const [kind, factor] of [
        ['harmful', 1.3],
        ['useful', 0.6],
        ['neutral', 1],
      ] as const) {
        const world = planted(factor, seed)
        await world.windows(3 + 4 + 11)
        const [action] = await world.actions()
        if (action?.state === (kind === 'useful' ? 'kept' : 'undone')) outcome[kind] += 1
        expect(action?.samples.filter(({ isOn }) => isOn).length).toBeLessThanOrEqual(10)
        if (kind !== 'neutral' || seed >= seeds / 10) continue
        await world.windows(60)
        expect(world.carriedOut.length).toBe(1)
      }
    }
    expect(outcome.harmful).toBeGreaterThanOrEqual(0.99 * seeds)
    expect(outcome.useful).toBeGreaterThanOrEqual(0.95 * seeds)
  })

  test('are kept where they were the right choice', async () => {
    const wrong: string[] = []
    for (const { name, spec, policy, right } of situations.filter((one) => !one.right.includes('none'))) {
      const world = new World(spec, { policies: [{ store: 'users', ...policy }], approve: () => true })
      await world.windows(60)
      const [first] = await world.actions()
      if (first?.state !== 'kept')
        wrong.push(
          `${name}: ${first?.tactic} ${first?.state}, ${JSON.stringify(first?.verdict)}, not ${right.join()}`,
        )
    }
    expect(wrong).toEqual([])
  })

  test('do not swing: a day of sine, of noise around the limit, and of steps', async () => {
    for (const [name, load, changes] of dayLoads) {
      const world = new World(load(0), {
        policies: [
          { store: 'users', operation: 'read', percentile: 50, belowMs: 5 },
          { store: 'users', operation: 'set', belowMs: 20 },
        ],
        approve: () => true,
        noise: name === 'noise' ? 0.3 : 0.1,
        seed: 9,
      })
      for (let i = 0; i < 1440; i += 1) {
        world.spec = load(i / 60)
        await world.windows(1)
      }
      const turns = turnsOf(
        (await world.actions()).filter(({ state }) => state === 'kept').map(({ change }) => change),
      )
      expect(turns, name).toBeLessThanOrEqual(changes)
    }
  })
})

/** A load that a store carries easily. */
function healthy(random: () => number): Spec {
  return {
    reads: 50 + random() * 1000,
    writes: random() * 300,
    readMs: 0.2 + random() * 2,
    writeMs: 0.5 + random() * 3,
    records: 10 ** (3 + 4 * random()),
    valueBytes: 10 ** (2 + 2 * random()),
    queries: random() < 0.5 ? { 'by ip': random() * 50 } : {},
    indexes: [['ip']],
    url: 'postgres://app@db/app?maxConnections=20',
  }
}

/** Promises with some room above what is usual. */
function promisesOf({ readMs = 1, writeMs = 1 }: Spec) {
  return [
    { store: 'users', operation: 'read', belowMs: readMs * 12 },
    { store: 'users', operation: 'set', belowMs: writeMs * 14 },
    { store: 'users', operation: 'native', belowMs: 10 },
  ] as const
}

/** A world in which the only tactic makes reads slower or faster, and says that it helps. */
function planted(factor: number, seed: number): World {
  const tactic: Tactic = {
    name: 'planted',
    limitMs: 1000,
    knowledge: { effects: [], cost: 'nothing', source: 'a test' },
    applies: ({ work }) =>
      work['read'] === undefined
        ? []
        : [
            {
              change: { planted: true },
              title: 'a planted change',
              latency: { read: 0.5 },
              seconds: 0,
              figures: [],
            },
          ],
    carryOut: async () => void (world.readFactor = factor),
    undo: async () => void (world.readFactor = 1),
    isDone: async () => world.readFactor === factor,
  }
  const world: World = new World(
    { reads: 300, writes: 100, readMs: 5 },
    {
      policies: [{ store: 'users', operation: 'read', belowMs: 10, minCalls: 1 }],
      approve: () => true,
      seed,
      noise: 0.08,
      tactics: [tactic],
    },
  )
  return world
}

type Change = { readonly [name: string]: unknown }

/** How often something was done that takes back what was done before. */
function turnsOf(changes: readonly Change[]): number {
  const key = (change: Change): string => String(change['layer'] ?? change['parameter'] ?? change['name'])
  return changes.filter((change, i) =>
    changes.slice(0, i).some((before) => key(before) === key(change) && isBack(before, change)),
  ).length
}

function isBack(before: Change, change: Change): boolean {
  return 'before' in change && JSON.stringify(before['before']) === JSON.stringify(change['after'])
}

/** Loads of a day by the hour, and how many true changes they have. */
const dayLoads: readonly (readonly [name: string, load: (hour: number) => Spec, changes: number])[] = [
  ['sine', (hour) => ({ reads: 600 + 500 * Math.sin((hour / 24) * 2 * Math.PI), writes: 50, readMs: 8 }), 1],
  ['noise', () => ({ reads: 500, writes: 50, readMs: 7 }), 0],
  ['step', (hour) => ({ reads: hour < 12 ? 100 : 900, writes: hour < 12 ? 300 : 20, readMs: 8 }), 1],
]
