import { describe, expect, test } from 'vitest'
import { type Driven, runExplicitSchedule, type Value } from './schedules/explicit-schedule.ts'

const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? 300)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

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
    clear: () => kept.clear(),
    stats: () => ({}) as never,
  }
}

test('the schedules find what a cache without a generation check does wrong', async () => {
  let found = 0
  for (let seed = 1; seed <= 200; seed++) {
    const { violations } = await runExplicitSchedule(seed, { hasBelow: false, instead: careless })
    if (violations.some((violation) => violation.includes('was acknowledged'))) found++
  }
  expect(found).toBeGreaterThan(5)
})

describe.each([false, true])('with a second tier: %s', (hasBelow) => {
  test('no schedule shows anybody an older state than the last acknowledged put or invalidate', {
    timeout: 600_000,
  }, async () => {
    const wrong: string[] = []
    const total = { operations: 0, hits: 0, joins: 0, loads: 0, staleAnswers: 0, failures: 0 }
    let revalidations = 0
    let belowHits = 0
    for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
      const { violations, operations, stats, below } = await runExplicitSchedule(seed, { hasBelow })
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
