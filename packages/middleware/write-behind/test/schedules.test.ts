import { describe, expect, test } from 'vitest'
import { type Done, type Plan, runSchedule } from './schedule.ts'

const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? 20)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

async function runAll(plan: Plan, count: number): Promise<Done> {
  const sum: Record<string, number> = {}
  let seed = firstSeed
  const lane = async (): Promise<void> => {
    while (seed < firstSeed + count)
      for (const [name, n] of Object.entries(await runSchedule(seed++, plan)))
        sum[name] = (sum[name] ?? 0) + n
  }
  // Some at a time, as they wait for timers most of the time. One that fails ends all, and nothing runs on after the test.
  const stopping = (error: unknown): never => {
    seed = Number.POSITIVE_INFINITY
    throw error
  }
  const lanes = await Promise.allSettled(Array.from({ length: 20 }, () => lane().catch(stopping)))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
  return sum as unknown as Done
}

describe('schedules of failures, unknown outcomes, slow stores, aborts, flushes and closes', () => {
  test.each<Plan>([{ isJournaled: false }, { isJournaled: true }, { isJournaled: false, isAwaited: true }])(
    'reads see the last acknowledged write, and at rest the store has it: %o',
    async (plan) => {
      const done = await runAll(plan, schedules)
      console.log(`${schedules} schedules, ${JSON.stringify(plan)}: ${JSON.stringify(done)}`)
      expect(done.acknowledged).toBeGreaterThan(schedules)
      expect(done.reads).toBeGreaterThan(schedules)
      // A writer that waits for the store leaves few writes to unite: maybe none.
      expect(done.coalesced + Number(plan.isAwaited ?? false)).toBeGreaterThan(0)
      expect(done.retries).toBeGreaterThan(0)
      expect(done.lost > 0).toBe(plan.isAwaited !== true)
      expect(done.replayed > 0).toBe(plan.isJournaled)
    },
    3_600_000,
  )

  test('a store that drops a write and says that it has it is found', async () => {
    await expect(runAll({ isJournaled: false, isLiar: true }, 100)).rejects.toThrow(
      /at rest|after close|read of/,
    )
  })
})
