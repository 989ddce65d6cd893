import './compositions/platform.ts'

import { isEntry, type PassThrough, passThrough, type ReadResult } from '@unikv/core'
import { isWhole } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { runProgram } from './compositions/program.ts'

const programs = Number(process.env['UNIKV_PROGRAMS'] ?? 25)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
const isLong = process.env['UNIKV_PROGRAMS'] !== undefined
/** The long form may be ended before it has run all programs, and says after each of these what it has done. */
const untilMs = performance.now() + Number(process.env['UNIKV_MINUTES'] ?? Number.POSITIVE_INFINITY) * 60_000
const programsAReport = 250

test('no program over any stack of layers sees a promise broken', { timeout: 86_400_000 }, async () => {
  const wrong: string[] = []
  const done = { firstSeed, programs: 0, operations: 0, refused: 0, violations: 0 }
  for (let seed = firstSeed; seed < firstSeed + programs && performance.now() < untilMs; seed++) {
    const outcome = await runProgram(seed)
    done.programs++
    done.operations += outcome.operations
    if (outcome.isRefused) done.refused++
    for (const one of outcome.violations) wrong.push(`seed ${seed}: ${outcome.title}: ${one}`)
    if (isLong) for (const one of wrong.slice(done.violations)) console.log(one)
    done.violations = wrong.length
    if (isLong && done.programs % programsAReport === 0) console.log(JSON.stringify(done))
  }
  if (isLong) console.log(JSON.stringify(done))
  expect(wrong.slice(0, 20)).toEqual([])
  expect(done.operations).toBeGreaterThan(done.programs * 10)
  expect(done.refused).toBeLessThan(done.programs / 2)
})

/** Keeps what was read, whatever was written meanwhile. */
function careless(): PassThrough {
  return passThrough('careless', {
    wrap: (inner) => {
      const kept = new Map<string, ReadResult<unknown>>()
      return {
        read: async (reads, call) => {
          const [first = { key: '' }, ...others] = reads
          const known = others.length === 0 && call.consistency === undefined && kept.get(first.key)
          if (known) return [known]
          const results = await inner.read(reads, call)
          if (others.length === 0 && first.head !== true && isEntry(results[0]))
            kept.set(first.key, results[0])
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

/** Says that a write is done before it is. */
function hasty(): PassThrough {
  return passThrough('hasty', {
    wrap: (inner) => ({
      write: (mutations, call) => {
        if (mutations.some(({ ifVersion, type }) => ifVersion !== undefined || type !== 'set'))
          return inner.write(mutations, call)
        Promise.resolve(inner.write(mutations, call)).catch(() => {})
        return mutations.map(({ version }) => ({ version }))
      },
    }),
  })
}

/** Few programs show what a careless layer does wrong, so the short form begins with one that does. */
const plants = [
  [careless, isWhole ? 1 : 33],
  [hasty, 1],
] as const

test.each(plants)('programs find what is wrong with %o', { timeout: 600_000 }, async (plant, first) => {
  const wanted = isWhole ? 2 : 1
  let found = 0
  for (let seed = first; seed <= 150 && found < wanted; seed++) {
    const { violations } = await runProgram(seed, () => [plant()])
    if (violations.some((one) => one.includes('acknowledged'))) found++
  }
  expect(found).toBe(wanted)
})
