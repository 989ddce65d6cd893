import { isEntry, type PassThrough, passThrough, type ReadResult } from '@unikv/core'
import { expect, test } from 'vitest'
import { runProgram } from './compositions/program.ts'

const programs = Number(process.env['UNIKV_PROGRAMS'] ?? 200)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

test('no program over any stack of layers sees a promise broken', { timeout: 7_200_000 }, async () => {
  const wrong: string[] = []
  let operations = 0
  let refused = 0
  for (let seed = firstSeed; seed < firstSeed + programs; seed++) {
    const outcome = await runProgram(seed)
    operations += outcome.operations
    if (outcome.isRefused) refused++
    for (const one of outcome.violations) wrong.push(`seed ${seed}: ${outcome.title}: ${one}`)
  }
  if (process.env['UNIKV_PROGRAMS'] !== undefined)
    console.log(JSON.stringify({ programs, firstSeed, operations, refused, violations: wrong.length }))
  expect(wrong.slice(0, 20)).toEqual([])
  expect(operations).toBeGreaterThan(programs * 10)
  expect(refused).toBeLessThan(programs / 2)
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

test.each([careless, hasty])('programs find what is wrong with %o', { timeout: 600_000 }, async (plant) => {
  let found = 0
  for (let seed = 1; seed <= 60; seed++) {
    const { violations } = await runProgram(seed, () => [plant()])
    if (violations.some((one) => one.includes('acknowledged'))) found++
  }
  expect(found).toBeGreaterThan(2)
})
