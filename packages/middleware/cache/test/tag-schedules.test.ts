import { isEntry, type PassThrough, passThrough, type ReadResult } from '@unikv/core'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { asAsked } from '../src/loads/answer.ts'
import { runSchedule } from './schedules/schedule.ts'
import { stacksOf } from './schedules/stacks.ts'

/** Without it seeds begin where the first one finds what is wrong on purpose. */
const isLong = isWhole || process.env['UNIKV_SCHEDULES'] !== undefined
const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? (isLong ? 7 : 5))
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
/** Schedules that find what is wrong on purpose. */
const enough = isLong ? 2 : 1

/** What caches do that know the tags of what they load when it has come, and read their versions then. */
function lateTags(): PassThrough {
  let version = 0
  const late = passThrough('late', {
    wrap: (inner) => {
      const kept = new Map<string, { readonly result: ReadResult<unknown>; readonly version: number }>()
      return {
        read: async (reads, call) => {
          const [read = { key: '' }, ...others] = reads
          const found = others.length === 0 && call.consistency === undefined && kept.get(read.key)
          if (found && found.version === version) return [asAsked(read, found.result) as ReadResult<unknown>]
          const results = await inner.read(reads, call)
          if (others.length === 0 && isEntry(results[0])) kept.set(read.key, { result: results[0], version })
          return results
        },
        write: async (mutations, call) => {
          version++
          const results = await inner.write(mutations, call)
          version++
          return results
        },
      }
    },
  })
  return { ...late, stats: () => ({}), invalidateTags: async () => void version++ } as PassThrough
}

test('the schedules find what a cache does wrong that reads the versions of tags after the load', async () => {
  let found = 0
  for (let seed = isLong ? 1 : 10; seed <= 200 && found < enough; seed++) {
    const options = { stack: 'objects', throughKeyValue: false, hasTags: true } as const
    const { violations } = await runSchedule(seed, { ...options, layers: [lateTags()] })
    if (violations.length > 0) found++
  }
  expect(found).toBe(enough)
})

describe.each([false, true])('with tags, through KeyValue: %s', (throughKeyValue) => {
  test.each(stacksOf(isLong))(
    'no schedule shows a reader of %s in %d processes what was invalidated before he came',
    { timeout: 1_800_000 },
    async (stack, processes) => {
      const wrong: string[] = []
      const total = { operations: 0, hits: 0, joins: 0, loads: 0 }
      for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
        const options = { stack, processes, throughKeyValue, hasTags: true }
        const { violations, operations, stats } = await runSchedule(seed, options)
        for (const violation of violations) wrong.push(`seed ${seed}: ${violation}`)
        total.operations += operations
        for (const one of stats)
          for (const name of ['hits', 'joins', 'loads'] as const) total[name] += one[name]
      }
      if (process.env['UNIKV_SCHEDULES'] !== undefined)
        console.log(
          JSON.stringify({
            tags: true,
            stack,
            processes,
            throughKeyValue,
            schedules,
            firstSeed,
            ...total,
            violations: wrong.length,
          }),
        )
      expect(wrong.slice(0, 5)).toEqual([])
      for (const count of Object.values(total)) expect(count).toBeGreaterThan(schedules / 25)
    },
  )
})
