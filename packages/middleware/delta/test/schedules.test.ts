import { expect, test } from 'vitest'
import { reusingPlaces, takingSilenceForNo, tidyingFirst, withoutCondition } from './schedules/careless.ts'
import { runSchedule } from './schedules/schedule.ts'

const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? 10)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
/** Schedules that find what is wrong on purpose. */
const enough = 2

test.each(Object.entries({ withoutCondition, tidyingFirst, reusingPlaces, takingSilenceForNo }))(
  'the schedules find what goes wrong in a layer that breaks a rule: %s',
  async (_, careless) => {
    const found = new Set<string>()
    let wrong = 0
    for (let seed = 1; seed <= 100 && wrong < enough; seed++) {
      const { violations } = await runSchedule(seed, { processes: 2, careless })
      for (const violation of violations) found.add(violation.slice(0, 60))
      if (violations.length > 0) wrong++
    }
    if (process.env['UNIKV_SCHEDULES'] !== undefined) console.log(wrong, [...found].slice(0, 6))
    expect(wrong).toBe(enough)
  },
)

test.each([
  { processes: 1, expiry: false },
  { processes: 2, expiry: false },
  { processes: 3, expiry: false },
  { processes: 2, expiry: true },
])(
  'after any schedule of failures, late effects and kills every value is whole and in order: %o',
  { timeout: 3_600_000 },
  async (options) => {
    const wrong: string[] = []
    const total = {
      operations: 0,
      failures: 0,
      kills: 0,
      deltas: 0,
      bases: 0,
      conflicts: 0,
      overtaken: 0,
      partsRemoved: 0,
    }
    for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
      const { violations, stats, ...counts } = await runSchedule(seed, options)
      for (const violation of violations) wrong.push(`seed ${seed}: ${violation}`)
      const all: Record<string, number> = { ...stats, ...counts }
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += all[name] as number
    }
    if (process.env['UNIKV_SCHEDULES'] !== undefined)
      console.log(JSON.stringify({ ...options, schedules, firstSeed, ...total, violations: wrong.length }))
    expect(wrong.slice(0, 5)).toEqual([])
    expect(total.operations).toBeGreaterThan(20 * schedules)
    expect(total.deltas).toBeGreaterThan(schedules)
    expect(total.conflicts + total.overtaken).toBeGreaterThan(0)
    expect(total.partsRemoved).toBeGreaterThan(schedules / 2)
  },
)
