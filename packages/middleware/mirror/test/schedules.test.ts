import { expect, test } from 'vitest'
import { carelessMirror } from './schedules/careless-mirror.ts'
import { runSchedule } from './schedules/schedule.ts'

const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? 25)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

test('the schedules find what a mirror without an order of the writes of a key does wrong', async () => {
  let found = 0
  for (let seed = 1; seed <= 20; seed++) {
    const { violations } = await runSchedule(seed, { make: carelessMirror })
    if (violations.some((violation) => violation.includes('the secondary'))) found++
  }
  expect(found).toBeGreaterThan(4)
})

test.each([1, 2, 3])(
  'after any schedule of %i processes with failures, lost answers and late effects both stores are equal',
  { timeout: 3_600_000 },
  async (processes) => {
    const wrong: string[] = []
    const total = { writes: 0, failures: 0, repairs: 0, mirrored: 0 }
    for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
      const outcome = await runSchedule(seed, { processes })
      for (const violation of outcome.violations) wrong.push(`seed ${seed}: ${violation}`)
      for (const name of ['writes', 'failures', 'repairs', 'mirrored'] as const) total[name] += outcome[name]
    }
    if (process.env['UNIKV_SCHEDULES'] !== undefined)
      console.log(JSON.stringify({ processes, schedules, firstSeed, ...total, violations: wrong.length }))
    expect(wrong.slice(0, 5)).toEqual([])
    for (const count of Object.values(total)) expect(count).toBeGreaterThan(schedules)
  },
)
