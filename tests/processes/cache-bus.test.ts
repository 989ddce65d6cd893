import { describeWithOwn } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { grounds, longMs, nothing, processesSeed, refusals, wrong } from './ground.ts'
import type { Violation } from './judge.ts'
import type { RunResult, RunSetting } from './run.ts'

/** Of a run. Without it: a short form, with fewer processes and scenarios. */
const longRunMs = process.env['UNIKV_RUN_MS']
const runMs = Number(longRunMs ?? 1_000)
const isLong = longRunMs !== undefined
const processes = isLong ? 8 : 3
const maxStaleMs = 250
/** Of a run whose writers may not be heard. */
const freshForMs = 1_500
/** So that connections that are dead stay so for long enough to tell. */
const breaksNetworkForMs = 4 * maxStaleMs

/** How long a process that was stopped is not told what happened meanwhile. */
const lateMs = 2 * maxStaleMs

interface Scenario {
  readonly name: string
  readonly changes: Partial<RunSetting>
  /** How often what it is about has happened. */
  readonly seen: (result: RunResult) => number
}

const healthy: Scenario = {
  name: 'healthy',
  changes: {},
  seen: ({ totals }) => Math.min(totals.invalidations, totals.localHits),
}
const broken: Scenario = {
  name: 'connections cut and lost',
  changes: { breaksNetworkForMs, near: { maxStaleMs, freshForMs }, forMs: isLong ? runMs : 2 * runMs },
  seen: ({ faults }) => faults,
}
const stopped = stoppedFor(3_000)
const killed: Scenario = {
  name: 'killed',
  changes: { kills: Math.ceil(runMs / 800) },
  seen: (result) => result.killed,
}
const scenarios = [healthy, broken, stopped, killed]

function stoppedFor(ms: number): Scenario {
  return {
    name: `one after the other stopped for ${ms / 1_000} s`,
    changes: {
      stops: { times: Math.max(1, Math.floor(runMs / (ms + 2_000))), ms, lateMs },
      forMs: Math.max(runMs, ms + lateMs + 2_000),
    },
    seen: (result) => result.stopped,
  }
}

/** The settings of a cache in a store below, and what its writes may be told. */
function farOf({ changes }: Scenario): Partial<RunSetting> {
  const timeoutMs = changes.breaksNetworkForMs === undefined ? 5_000 : 100
  const leastMs = timeoutMs === 100 ? 0 : timeoutMs - 100
  return { far: { timeoutMs, writes: 'consistent' }, outages: [{ ...refusals, leastMs }] }
}

describeWithOwn('redis', () => {
  const ground = grounds()

  /** Processes with a plain cache each, which hear of each other by a bus on the cache store's Redis. */
  function judged(name: string, changes: Partial<RunSetting>): Promise<RunResult> {
    return ground.judged(`bus, ${name}`, {
      processes,
      // On a machine that is too busy for them it takes longer.
      calls: 100 * processes,
      forMs: runMs,
      thinkMs: 100,
      near: { maxStaleMs },
      far: undefined,
      bus: 'redis',
      ...changes,
    })
  }

  describe.each([
    {
      below: 'the source',
      isOverStore: false,
      run: isLong ? [...scenarios, stoppedFor(60_000)] : [broken, stopped, killed],
    },
    { below: 'a cache in a store', isOverStore: true, run: isLong ? scenarios : [healthy] },
  ])('a plain cache with a bus over $below', ({ below, isOverStore, run }) => {
    test.each(run)(
      'is never older than maxStaleMs: $name',
      async (scenario) => {
        const { name, changes, seen } = scenario
        const far = isOverStore ? farOf(scenario) : {}
        const result = await judged(`over ${below}, ${name}`, { ...far, ...changes })
        expect(wrong(tooOld(result.despiteTold, maxStaleMs), result.unexcused)).toEqual(nothing)
        // What could not be told in time.
        const untoldMs = Number(changes.near?.freshForMs ?? Number.POSITIVE_INFINITY)
        expect(wrong(tooOld(result.violations, untoldMs), [])).toEqual(nothing)
        expect(result.totals.worstStaleMs).toBeLessThanOrEqual(maxStaleMs)
        expect(seen(result)).toBeGreaterThan(0)
      },
      longMs,
    )
  })

  test.each(isLong ? [broken, stopped] : [stoppedFor(1_000)])(
    'the judge finds a bus that is trusted blindly: $name',
    async ({ name, changes }) => {
      const blind = { ...changes, near: { maxStaleMs }, bus: 'blind' } as const
      let runs = 0
      let found = 0
      while (isLong ? runs < 3 : found === 0 && runs < 15) {
        const setting = {
          ...blind,
          forMs: Math.min(10_000, blind.forMs ?? runMs),
          seed: processesSeed + runs,
        }
        const { despiteTold } = await judged(`trusted blindly, ${name}`, setting)
        runs++
        if (tooOld(despiteTold, maxStaleMs).length > 0) found++
      }
      console.log(`trusted blindly, ${name}: found in ${found} of ${runs} runs`)
      expect(found).toBeGreaterThan(0)
    },
    longMs,
  )
})

/** What a cache may not show; of strong reads it answers none. */
function tooOld(violations: readonly Violation[], mostMs: number): readonly Violation[] {
  return violations.filter(
    ({ what, seen, staleForMs }) =>
      what !== 'older than acknowledged' || seen.isStrong === true || staleForMs > mostMs,
  )
}
