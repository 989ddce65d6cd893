import { isEntry, type PassThrough, passThrough, type ReadResult } from '@unikv/core'
import { isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { asAsked } from '../src/loads/answer.ts'
import { writtenEntry } from '../src/write-through.ts'
import { runSchedule, type ScheduleOptions } from './schedules/schedule.ts'
import { stacksOf } from './schedules/stacks.ts'

const isLong = isWhole || process.env['UNIKV_SCHEDULES'] !== undefined
const schedules = Number(process.env['UNIKV_SCHEDULES'] ?? (isLong ? 30 : 10))
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
/** Schedules that find what is wrong on purpose. */
const enough = isLong ? 2 : 1
/** The short form begins where the first one is found. */
const from = (seed: number): number => (isLong ? 1 : seed)

/** What caches do that fill without a look at what was written meanwhile. */
function carelessCache(): PassThrough {
  return passThrough('careless', {
    wrap: (inner) => {
      const kept = new Map<string, ReadResult<unknown>>()
      return {
        read: async ([read = { key: '' }, ...others], call) => {
          if (others.length > 0 || call.consistency !== undefined) return inner.read([read, ...others], call)
          if (kept.has(read.key)) return [asAsked(read, kept.get(read.key)) as ReadResult<unknown>]
          const results = await inner.read([read], call)
          if (isEntry(results[0])) kept.set(read.key, results[0])
          return results
        },
        write: async (mutations, call) => {
          const results = await inner.write(mutations, call)
          for (const { key } of mutations) kept.delete(key)
          return results
        },
      }
    },
  })
}

test('the schedules find what a cache without a generation check does wrong', async () => {
  let found = 0
  for (let seed = from(14); seed <= 300 && found < enough; seed++) {
    const layers = [carelessCache()]
    const { violations } = await runSchedule(seed, { stack: 'objects', throughKeyValue: false, layers })
    if (violations.some((violation) => violation.includes('at rest the cache says'))) found++
  }
  expect(found).toBe(enough)
})

/** What caches do that keep what was written although another write of the key is under way. */
function carelessWrites(): PassThrough {
  return passThrough('careless', {
    wrap: (inner) => {
      const kept = new Map<string, ReadResult<unknown>>()
      return {
        read: async (reads, call) => {
          const [read = { key: '' }, ...others] = reads
          const found = others.length === 0 && call.consistency === undefined && kept.get(read.key)
          return found ? [asAsked(read, found) as ReadResult<unknown>] : inner.read(reads, call)
        },
        write: async (mutations, call) => {
          for (const { key } of mutations) kept.delete(key)
          const results = await inner.write(mutations, call)
          for (const [i, one] of mutations.entries()) {
            const entry = one.type === 'set' ? writtenEntry(one, one.value, results[i]) : undefined
            if (entry === undefined || entry.expiresAt !== undefined) kept.delete(one.key)
            else kept.set(one.key, entry)
          }
          return results
        },
      }
    },
  })
}

test('the schedules find what a cache does wrong that keeps what was written while two writes overlap', async () => {
  let found = 0
  for (let seed = from(3); seed <= 200 && found < enough; seed++) {
    const layers = [carelessWrites()]
    const { violations } = await runSchedule(seed, { stack: 'objects', throughKeyValue: false, layers })
    if (violations.length > 0) found++
  }
  expect(found).toBe(enough)
})

test.each<[string, number, ScheduleOptions]>([
  ['agree on no leases', 29, { stack: 'store', processes: 3, throughKeyValue: false, leases: false }],
  ['trust a bus blindly', 27, { stack: 'bus', processes: 3, throughKeyValue: false, trusts: 'blindly' }],
])('the schedules find what processes do wrong that %s', async (_, firstFound, options) => {
  let found = 0
  for (let seed = from(firstFound); seed <= 800 && found < enough; seed++) {
    const { violations } = await runSchedule(seed, options)
    if (violations.length > 0) found++
  }
  expect(found).toBe(enough)
})

describe.each([false, true])('through KeyValue: %s', (throughKeyValue) => {
  test.each([...stacksOf(isLong), ['validated', 1] as const])(
    'no schedule shows a reader of %s in %d processes an older state than the last acknowledged one',
    { timeout: 1_800_000 },
    async (stack, processes) => {
      const wrong: string[] = []
      // A cache store of one process answers little of two keys that are written so often.
      const isBusy = processes > 1 || stack === 'objects' || stack === 'tiers'
      const total = { operations: 0, hits: 0, joins: 0, revalidations: 0, loads: 0 }
      let staleAnswers = 0
      let refreshes = 0
      let writeFills = 0
      // Few schedules of one process with a cache store revalidate anything.
      const times = stack === 'store' && processes === 1 ? Math.max(schedules, 30) : schedules
      for (let seed = firstSeed; seed < firstSeed + times; seed++) {
        const { violations, operations, stats } = await runSchedule(seed, {
          stack,
          processes,
          throughKeyValue,
        })
        for (const violation of violations) wrong.push(`seed ${seed}: ${violation}`)
        total.operations += operations
        for (const one of stats) {
          staleAnswers += one.staleAnswers
          refreshes += one.refreshes
          writeFills += one.writeFills
          for (const name of ['hits', 'joins', 'revalidations', 'loads'] as const) total[name] += one[name]
        }
      }
      if (isLong)
        console.log(
          JSON.stringify({
            stack,
            processes,
            throughKeyValue,
            schedules: times,
            firstSeed,
            ...total,
            staleAnswers,
            refreshes,
            writeFills,
            violations: wrong.length,
          }),
        )
      expect(wrong.slice(0, 5)).toEqual([])
      for (const [name, count] of Object.entries(total)) expect(count, name).toBeGreaterThan(times / 25)
      if (stack !== 'bus') expect(writeFills).toBeGreaterThan(times / 25)
      // Few schedules may meet none.
      if (isBusy && schedules >= 200) {
        expect(refreshes).toBeGreaterThan(schedules / 100)
        expect(staleAnswers).toBeGreaterThan(
          stack === 'objects' || stack.endsWith('tiers') ? schedules / 25 : 0,
        )
      }
    },
  )
})
