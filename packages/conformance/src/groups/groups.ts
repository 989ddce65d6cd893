import { commits } from './commits.ts'
import { conflicts } from './conflicts.ts'
import { endings } from './endings.ts'
import { type GroupFixture, openGroups } from './group-fixture.ts'
import type { GroupOptions } from './group-options.ts'
import { hostileGroups } from './hostile.ts'
import { manyWriters } from './many-writers.ts'
import { ranges } from './ranges.ts'
import { reading } from './reading.ts'
import { sweeping } from './sweeping.ts'

/** The suite, topic by topic. */
const topics = [reading, ranges, hostileGroups, commits, conflicts, endings, sweeping, manyWriters]

/**
 * Register the tests that every implementation of `Groups` passes: reads and ranges, commits of all or nothing, conflicts, ends
 * of transactions, sweeps, and many writers at the same time.
 */
export function groupTransactions(options: GroupOptions): void {
  for (const { title, cases } of topics) {
    if (options.topics?.test(title) === false) continue
    const register = (prefix: string): void => {
      for (const one of cases) options.test(prefix + one.title, () => runCase(options, one.run))
    }
    if (options.describe === undefined) register(`${title}: `)
    else options.describe(title, () => register(''))
  }
}

async function runCase(options: GroupOptions, run: (t: GroupFixture) => Promise<void>): Promise<void> {
  // Deadlines wait on timers that hold no process; node:test would end before they do.
  const alive = setInterval(() => {}, 60_000)
  try {
    const t = await openGroups(options)
    try {
      await run(t)
    } catch (error) {
      // The first failure is reported.
      await t.end().catch(() => {})
      throw error
    }
    await t.end()
  } finally {
    clearInterval(alive)
  }
}
