import type { Bytes, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { compared } from '../../../src/statistics/compare/comparison.ts'
import { run } from '../../../src/studies/run/run.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { runConfig } from './drive.ts'

// The long form is `npm run prove -- comparisons`: 100 comparisons, and the machine must be quiet.
const comparisons = Number(process.env['UNIKV_COMPARISONS'] ?? 2)
const isLong = comparisons >= 100
// The short form counts operations: on a busy machine a few milliseconds may pass without one.
const runMs = Number(process.env['UNIKV_RUN_MS'] ?? 50)
const length = isLong ? { operations: undefined, duration: runMs, warmup: runMs } : { operations: 200 }

let sink = 0

/** Work that no compiler leaves out. */
function spin(turns: number): void {
  for (let turn = 0; turn < turns; turn++) sink = (Math.imul(sink, 1_664_525) + turn) | 0
}

/** The memory store with so much work before each read. */
function slowed(turns: number): Store<Bytes> {
  const store = memory()
  return {
    ...store,
    name: 'memory',
    capabilities: { ...store.capabilities, sync: 'none' },
    native: undefined,
    read: (items, call) => {
      spin(turns)
      return store.read(items, call)
    },
    write: (items, call) => store.write(items, call),
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
  }
}

/** Rates of two stores, in ten runs each that take turns. */
async function rates(a: number, b: number, seed: number): Promise<readonly (readonly number[])[]> {
  const fields = { preset: 'c', concurrency: 1, runs: 10, records: 1_000, ...length }
  const config = { ...(await runConfig(fields)), seed }
  const stores = [
    { name: 'a', url: 'memory:', store: slowed(a) },
    { name: 'b', url: 'memory:', store: slowed(b) },
  ]
  const { targets } = await runStudy(run, { config, stores, data: synthetic({ seed }) })
  return targets.map(({ rate }) => rate.runs)
}

/** The fastest of many runs, in operations a second: what an undisturbed processor does. */
async function best(turns: number): Promise<number> {
  const found: number[] = []
  for (let seed = 0; seed < 5; seed++) found.push(...(await rates(turns, turns, seed)).flat())
  return Math.max(...found)
}

/** How many comparisons find a difference of at least so much. */
async function different(extra: number, minEffect: number): Promise<number> {
  let found = 0
  for (let seed = 0; seed < comparisons; seed++) {
    const [a = [], b = []] = await rates(0, extra, seed)
    const { verdict } = compared(a, b, { better: 'higher', minEffect, inTurn: true })
    if (verdict === 'faster' || verdict === 'slower') found++
  }
  return found
}

test('equal stores are told apart seldom, and a planted 5 % often', { timeout: 7_200_000 }, async () => {
  const many = 1_000
  const [plain, heavy] = [await best(0), await best(many)]
  // turns of work that make one operation 5 % longer
  const extra = Math.max(1, Math.round((0.05 * many) / plain / (1 / heavy - 1 / plain)))
  const equal = await different(0, 0)
  const planted = await different(extra, 0.03)
  if (!isLong) return expect([equal, planted].every((count) => count <= comparisons)).toBe(true)
  process.stdout.write(
    `${comparisons} comparisons of 10 runs of ${runMs} ms: equal told apart ${equal}, planted 5 % (${extra} turns, ${Math.round(plain)} operations/s) found ${planted}\n`,
  )
  expect(equal).toBeLessThanOrEqual((8 * comparisons) / 100)
  expect(planted).toBeGreaterThanOrEqual((90 * comparisons) / 100)
})
