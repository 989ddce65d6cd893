import { describe, expect, test } from 'vitest'
import { type Driven, runExplicitSchedule, type Value } from './schedules/explicit-schedule.ts'

const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? 30)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
/** Schedules that find what is wrong on purpose. */
const enough = 2

/** What caches do that keep what was loaded without a look at what happened meanwhile. */
function careless(): Driven {
  const kept = new Map<string, Value>()
  const load: Driven['revalidate'] = async (key, ask) => {
    const answer: unknown = await ask({ ifNotVersion: undefined, signal: new AbortController().signal })
    const value = (answer as { readonly value: Value } | undefined)?.value
    if (value !== undefined) kept.set(key, value)
    return value as never
  }
  return {
    cached: async (key, ask) => (kept.get(key) as never) ?? load(key, ask),
    revalidate: load,
    get: async (key) => kept.get(key),
    peek: (key) => kept.get(key),
    put: async (key, value) => void kept.set(key, value),
    invalidateMany: async (keys) => {
      for (const key of keys) kept.delete(key)
    },
    invalidateTags: async () => kept.clear(),
    clear: () => kept.clear(),
    stats: () => ({}) as never,
  }
}

test('the schedules find what a cache without a generation check does wrong', async () => {
  let found = 0
  for (let seed = 1; seed <= 200 && found < enough; seed++) {
    const { violations } = await runExplicitSchedule(seed, { hasBelow: false, instead: careless })
    if (violations.some((violation) => violation.includes('was acknowledged'))) found++
  }
  expect(found).toBe(enough)
})

/** What caches do that look at the versions of tags when a load has ended. */
function lateTags(): Driven {
  let version = 0
  const kept = new Map<string, { readonly value: Value; readonly version: number }>()
  const load: Driven['revalidate'] = async (key, ask) => {
    kept.delete(key)
    const answer: unknown = await ask({ ifNotVersion: undefined, signal: new AbortController().signal })
    const value = (answer as { readonly value: Value } | undefined)?.value
    if (value !== undefined) kept.set(key, { value, version })
    return value as never
  }
  const find = (key: string): Value | undefined => {
    const found = kept.get(key)
    return found?.version === version ? found.value : undefined
  }
  const forget = async (): Promise<void> => void version++
  return {
    cached: async (key, ask) => (find(key) as never) ?? load(key, ask),
    revalidate: load,
    get: async (key) => find(key),
    peek: find,
    put: forget,
    invalidateMany: forget,
    invalidateTags: forget,
    clear: () => kept.clear(),
    stats: () => ({}) as never,
  }
}

test('the schedules find what a cache does wrong that reads the versions of tags after the load', async () => {
  let found = 0
  for (let seed = 1; seed <= 200 && found < enough; seed++) {
    const options = { hasBelow: false, hasTags: true, instead: lateTags }
    const { violations } = await runExplicitSchedule(seed, options)
    if (violations.some((violation) => violation.includes('was acknowledged'))) found++
  }
  expect(found).toBe(enough)
})

describe.each([
  { hasBelow: false, hasTags: false },
  { hasBelow: true, hasTags: false },
  { hasBelow: false, hasTags: true },
  { hasBelow: true, hasTags: true },
])('with a second tier, with tags: %j', ({ hasBelow, hasTags }) => {
  test('no schedule shows anybody an older state than the last acknowledged put or invalidate', {
    timeout: 600_000,
  }, async () => {
    const wrong: string[] = []
    const total = { operations: 0, hits: 0, joins: 0, loads: 0, staleAnswers: 0, failures: 0 }
    let revalidations = 0
    let belowHits = 0
    for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
      const { violations, operations, stats, below } = await runExplicitSchedule(seed, {
        hasBelow,
        hasTags,
      })
      for (const violation of violations) wrong.push(`seed ${seed}: ${violation}`)
      total.operations += operations
      for (const name of ['hits', 'joins', 'loads', 'staleAnswers', 'failures'] as const)
        total[name] += stats[name]
      revalidations += stats.revalidations + (below?.revalidations ?? 0)
      belowHits += below?.hits ?? 0
    }
    if (process.env['UNIKV_SCHEDULES'] !== undefined)
      console.log(
        JSON.stringify({
          hasBelow,
          hasTags,
          schedules,
          firstSeed,
          ...total,
          revalidations,
          belowHits,
          violations: wrong.length,
        }),
      )
    expect(wrong.slice(0, 5)).toEqual([])
    for (const count of Object.values(total)) expect(count).toBeGreaterThan(schedules / 25)
    expect(revalidations).toBeGreaterThan(schedules / 25)
    if (hasBelow) expect(belowHits).toBeGreaterThan(schedules / 25)
  })
})
