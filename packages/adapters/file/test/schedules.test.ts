import { describe, expect, test } from 'vitest'
import { schedule } from './proofs/schedules.ts'

const count = Number(process.env['UNIKV_SCHEDULES'] ?? 300)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

describe('processes that write the same keys and are killed', () => {
  test('lose no write, break no condition, miscount nothing and leave nothing behind', async () => {
    let calls = 0
    let kills = 0
    let acknowledged = 0
    for (let seed = firstSeed; seed < firstSeed + count; seed++) {
      const result = await schedule(seed)
      expect(result.problem, `seed ${seed}`).toBeUndefined()
      calls += result.calls
      kills += result.kills
      acknowledged += result.acknowledged
    }
    console.log(`${count} schedules: ${calls} calls, ${kills} kills, ${acknowledged} acknowledged writes`)
  }, 600_000)
})
