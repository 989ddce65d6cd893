import { Random } from '@unikv/test-kit/schedules'
import { describe, expect, test } from 'vitest'
import type { ObjectCacheOptions, WarmOptions } from '../src/index.ts'
import { turn } from './gated-store.ts'
import { pass, run, type World, world } from './warm-setting.ts'

const hour = 3_600_000
const freshForMs = 60_000
const rounds = Number(process.env['UNIKV_SCHEDULES'] ?? 60)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

/** How the only key is answered after the restart: without asking, marked stale, or by asking the store. */
async function answer(
  here: World,
  options: ObjectCacheOptions,
  warm: Partial<WarmOptions>,
): Promise<'fresh' | 'stale' | 'revalidated' | 'loaded'> {
  const { near, kv, asked } = run(here, { background: () => {}, ...options }, warm)
  await near.loaded()
  const entry = await kv.getEntry('a')
  const { revalidations } = near.stats()
  if (entry?.meta?.stale === true) return 'stale'
  if (asked.length === 0) return 'fresh'
  return revalidations > 0 ? 'revalidated' : 'loaded'
}

/** A run that reads the key and is closed `heldMs` later. */
async function savedAfter(here: World, heldMs: number, options: ObjectCacheOptions): Promise<void> {
  const { kv } = run(here, options)
  await kv.set('a', 1)
  await kv.get('a')
  pass(here, heldMs)
  await kv.close()
}

describe("with resume: 'fresh', freshness goes on", () => {
  test.each([
    { what: 'where it was', held: 10_000, away: 49_999, becomes: 'fresh' },
    { what: 'to its end and no further', held: 10_000, away: 50_000, becomes: 'revalidated' },
    { what: 'never beyond it', held: 60_001, away: 0, becomes: 'revalidated' },
  ])('$what', async ({ held, away, becomes }) => {
    const here = world()
    await savedAfter(here, held, { freshForMs })
    pass(here, away)
    expect(await answer(here, { freshForMs }, { resume: 'fresh' })).toBe(becomes)
  })

  test('by the freshForMs of the new run, if that is shorter', async () => {
    const here = world()
    await savedAfter(here, 10_000, { freshForMs })
    expect(await answer(here, { freshForMs: 10_000 }, { resume: 'fresh' })).toBe('revalidated')
    expect(await answer(here, { freshForMs: 10_001 }, { resume: 'fresh' })).toBe('fresh')
    expect(await answer(here, { freshForMs: 1e9 }, { resume: 'fresh' })).toBe('fresh')
    pass(here, 50_000)
    expect(await answer(here, { freshForMs: 1e9 }, { resume: 'fresh' })).toBe('revalidated')
  })

  test('not for what was fresh without end', async () => {
    const here = world()
    await savedAfter(here, 0, { freshForMs: Number.POSITIVE_INFINITY })
    expect(await answer(here, { freshForMs }, { resume: 'fresh' })).toBe('revalidated')
  })
})

describe('a wall clock that was set', () => {
  const options = { freshForMs, staleIfErrorMs: hour, staleWhileRevalidateMs: hour }
  test.each([
    {
      what: 'back by an hour while away: only revalidated',
      jump: -hour,
      away: 1_000,
      becomes: 'revalidated',
    },
    { what: 'forward by an hour while away: older than it is', jump: hour, away: 1_000, becomes: 'stale' },
    { what: 'back by less than the time away: uptime tells', jump: -hour, away: hour + 1, becomes: 'stale' },
    {
      what: 'back to the moment of the save: uptime tells',
      jump: -2 * hour,
      away: 2 * hour,
      becomes: 'revalidated',
    },
  ])('$what', async ({ jump, away, becomes }) => {
    const here = world()
    await savedAfter(here, 0, options)
    pass(here, away)
    here.wall += jump
    expect(await answer(here, options, { resume: 'fresh' })).toBe(becomes)
  })

  test('to before the save, at the save: only revalidated', async () => {
    const here = world()
    here.wall += hour
    await savedAfter(here, 0, options)
    here.wall -= hour
    pass(here, 1_000)
    expect(await answer(here, options, { resume: 'fresh' })).toBe('revalidated')
    // It stays so when it is saved once more.
    const again = run(here, options, { resume: 'fresh' })
    await again.near.loaded()
    await again.kv.close()
    expect(await answer(here, options, { resume: 'fresh' })).toBe('revalidated')
  })

  test('to anything absurd breaks nothing', async () => {
    for (const wall of [0, -1, 1e18, 8.64e15, Number.MAX_SAFE_INTEGER]) {
      const here = world()
      await savedAfter(here, 0, options)
      here.wall = wall
      expect(['revalidated', 'loaded']).toContain(await answer(here, options, { resume: 'fresh' }))
    }
  })

  test('does not bring back a record that expired by the time that passed', async () => {
    const here = world()
    const first = run(here, options)
    await first.kv.set('a', 1, { ttlMs: 30_000 })
    await first.kv.get('a')
    await first.kv.close()
    pass(here, 40_000)
    here.wall -= 39_000
    const second = run(here, options, { resume: 'fresh' })
    await second.near.loaded()
    expect(second.near.stats()).toMatchObject({ entries: 0, warm: { loaded: 0 } })
  })
})

test('readings of another boot say nothing', async () => {
  const here = world()
  await savedAfter(here, 0, { freshForMs })
  here.boot = 'boot 2'
  here.uptime = 1e9
  here.wall += 1_000
  expect(await answer(here, { freshForMs }, { resume: 'fresh' })).toBe('fresh')
})

test('without an uptime the wall clock tells', async () => {
  const here = world()
  await savedAfter(here, 0, { freshForMs })
  pass(here, 59_000)
  const uptime = async () => undefined
  expect(await answer(here, { freshForMs }, { resume: 'fresh', uptime })).toBe('fresh')
  pass(here, 1_000)
  expect(await answer(here, { freshForMs }, { resume: 'fresh', uptime })).toBe('revalidated')
})

test('by the uptime of this machine, too', async () => {
  const here = world()
  const warm = (options: Partial<WarmOptions>) => ({
    resume: 'fresh' as const,
    uptime: undefined,
    ...options,
  })
  const first = run(here, { freshForMs: 5 }, warm({}))
  await first.kv.set('a', 1)
  await first.kv.get('a')
  await first.kv.close()
  await new Promise((resolve) => setTimeout(resolve, 10))
  // On Linux, the machine knows better than the wall clock, which stood still.
  const becomes = process.platform === 'linux' ? 'revalidated' : 'fresh'
  expect(await answer(here, { freshForMs: 5 }, warm({}))).toBe(becomes)
})

test('through restarts and clocks that jump, no answer is older than was promised', async () => {
  const seen = { fresh: 0, stale: 0, revalidated: 0, loaded: 0 }
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    const chance = new Random(seed)
    const here = world()
    const options = {
      freshForMs: chance.pick([1_000, 60_000, 2 * hour, Number.POSITIVE_INFINITY]),
      staleIfErrorMs: chance.pick([0, 10_000, hour]),
      staleWhileRevalidateMs: chance.pick([0, 10_000, hour]),
      keepForMs: chance.pick([5_000, Number.POSITIVE_INFINITY]),
    }
    const resume = options.freshForMs < 1e9 && chance.chance(0.7) ? 'fresh' : 'stale'
    const warm = { resume, maxAgeMs: chance.pick([hour, 1e12]) } as const
    /** By uptime: when the store last said that this is its value. */
    let saidAt = 0
    for (let restart = 0; restart < 4; restart++) {
      const { near, kv, asked } = run(here, { background: () => {}, ...options }, warm)
      if (restart === 0) await kv.set('a', 1)
      await near.loaded()
      for (let step = 0; step < 4; step++) {
        const before = asked.length
        const entry = await kv.getEntry('a')
        const isStale = entry?.meta?.stale === true
        const isAsked = asked.length > before
        const age = here.uptime - saidAt
        if (!isAsked && !isStale && restart + step > 0)
          expect(age, `fresh, seed ${seed}`).toBeLessThan(options.freshForMs)
        // Without an end, freshness ends with the process.
        if (isStale && options.freshForMs < 1e9)
          expect(age, `stale, seed ${seed}`).toBeLessThan(
            options.freshForMs + Math.max(options.staleIfErrorMs, options.staleWhileRevalidateMs),
          )
        seen[isStale ? 'stale' : isAsked ? 'revalidated' : 'fresh']++
        if (isAsked) saidAt = here.uptime
        // What is renewed meanwhile has come before time passes.
        await turn()
        pass(here, chance.below(chance.pick([10, 2_000, 100_000, hour])))
        if (chance.chance(0.3)) here.wall += chance.pick([-hour, hour])
      }
      await kv.close()
      if (chance.chance(0.5)) here.wall += chance.pick([-hour, hour])
      pass(here, chance.below(chance.pick([10, 2_000, 100_000, 2 * hour])))
      if (chance.chance(0.5)) here.wall += chance.pick([-hour, hour])
    }
  }
  expect(seen.fresh).toBeGreaterThan(rounds / 10)
  expect(seen.stale).toBeGreaterThan(rounds / 10)
  expect(seen.revalidated).toBeGreaterThan(rounds / 10)
  if (process.env['UNIKV_SCHEDULES'] !== undefined)
    console.log(JSON.stringify({ rounds, firstSeed, ...seen }))
}, 600_000)
