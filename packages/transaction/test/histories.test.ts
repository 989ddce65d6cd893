import { json, keyValue } from '@unikv/core'
import type { memory } from '@unikv/core/memory'
import { judgeTransactions } from '@unikv/test-kit'
import { expect, it } from 'vitest'
import { historyOf } from './history.ts'
import { sharedMemory } from './world.ts'

const histories = Number(process.env['UNIKV_HISTORIES'] ?? 12)
const first = Number(process.env['UNIKV_SEED'] ?? 1)

it.each(Array.from({ length: histories }, (_, i) => first + i))(
  'history %i is strictly serializable',
  {
    timeout: 60_000,
  },
  async (seed) => {
    const shared = sharedMemory()
    const history = await historyOf(seed, shared)
    expect(judgeTransactions(history)).toMatchObject({ serializable: true })
    expect(history.filter(({ result }) => result === 'committed').length).toBeGreaterThan(10)
    // Nothing is left of any transaction: the records are stored as they are.
    for (const store of [shared.red, shared.blue]) {
      const raw = keyValue(store as ReturnType<typeof memory>, [json()])
      for await (const [, entry] of raw.entries()) expect(entry.value).toEqual(expect.any(String))
    }
  },
)
