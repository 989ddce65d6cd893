import { setTimeout as pause } from 'node:timers/promises'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { grounds, longMs, nothing, processesSeed, refusals, wrong } from './ground.ts'
import type { RunResult, RunSetting } from './run.ts'

const longCalls = process.env['UNIKV_CALLS']
const calls = Number(longCalls ?? 500)
/** Half a second of CPU each, to start. */
const processes = longCalls === undefined ? 2 : 8
const runsOfPlanted = Number(process.env['UNIKV_RUNS'] ?? 2)
/** Of a run whose network to the cache store breaks. */
const freshForMs = 400
/** What it has acknowledged survives it: with `everysec` marks may be lost, and former values be read for `freshForMs`. */
const durable = ['--appendonly', 'yes', '--appendfsync', 'always'] as const
/** Clocks, and a process that is late to note when it began. */
const slackMs = 50
const broken = { breaksNetworkForMs: 300 }
/** For how long a process stands still. */
const stopMs = Number(process.env['UNIKV_STOP_MS'] ?? 1_500)
/** So that a run is not over before harm has been done to it, however late its processes start. */
const killForMs = 1_500
const restartForMs = 3_500
/** Each one that is killed has its calls to do again, so kills end at some time. */
const kills = Math.ceil(calls / 400)

describeWithOwn('redis', () => {
  const ground = grounds()

  /** Processes on one Redis: eight in the long form. */
  async function judged(name: string, changes: Partial<RunSetting>): Promise<RunResult> {
    const result = await ground.judged(name, { processes, calls, far: { timeoutMs: 5_000 }, ...changes })
    expect(result.reads).toBeGreaterThan(calls / 2)
    return result
  }

  describe.each(longCalls === undefined ? [true] : [false, true])(
    'validated local tier %s',
    (isValidated) => {
      const name = isValidated ? 'validated' : 'shared tier'
      const near = isValidated ? ({ localTier: 'validated' } as const) : undefined
      const [mine, others] = ['consistent', 'available'] as const

      test(
        'no read is older than acknowledged, and no reader is wrongly rejected',
        async () => {
          const result = await judged(`healthy, ${name}`, { near })
          expect(wrong(result.violations, result.unexcused)).toEqual(nothing)
          expect(result.outOfTime).toBe(0)
          expect(result.totals.unmarkedWrites).toBe(0)
          expect(result.totals.hits).toBeGreaterThan(0)
          expect(result.totals.confirmed > 0).toBe(isValidated)
        },
        longMs,
      )

      // In the short form one test below does this together with the other faults.
      if (longCalls !== undefined)
        test(
          "writes: 'consistent' keeps it where the network to the cache store breaks",
          async () => {
            const far = { timeoutMs: 100, writes: 'consistent' } as const
            const changes = { far, near, ...broken, outages: [refusals] }
            const result = await judged(`cut off, consistent, ${name}`, changes)
            expect(wrong(result.violations, result.unexcused)).toEqual(nothing)
            expect(result.totals.storeErrors).toBeGreaterThan(0)
          },
          longMs,
        )

      if (longCalls !== undefined)
        test(
          "writes: 'available' rejects nothing then, and nothing is older than freshForMs",
          async () => {
            const far = { timeoutMs: 100, freshForMs }
            const result = await judged(`cut off, available, ${name}`, { far, near, ...broken })
            const { violations, unexcused } = result
            expect(violations.filter(({ what }) => what !== 'older than acknowledged')).toEqual([])
            expect(violations.filter(({ staleForMs }) => staleForMs > freshForMs + slackMs)).toEqual([])
            expect(unexcused.slice(0, 3)).toEqual([])
            expect(result.totals.storeErrors).toBeGreaterThan(0)
          },
          longMs,
        )

      test.each(longCalls === undefined ? [] : [mine, others])(
        'kill -9 of processes changes nothing: writes %s',
        async (writes) => {
          const far = { timeoutMs: 5_000, writes }
          // A process that gets no time for so long cannot mark what it writes.
          const outages = writes === 'consistent' ? [{ ...refusals, leastMs: far.timeoutMs }] : []
          const result = await judged(`killed, ${writes}, ${name}`, {
            far,
            near,
            kills,
            outages,
            forMs: killForMs,
          })
          expect(wrong(result.violations, result.unexcused)).toEqual(nothing)
          expect(result.killed).toBeGreaterThan(0)
        },
        longMs,
      )

      test.each(longCalls === undefined ? [others] : [mine, others])(
        'a process that stands still, and goes on with what it was about, changes nothing: writes %s',
        async (writes) => {
          const far = { timeoutMs: 5_000, writes }
          const stops = { times: 1, ms: stopMs, lateMs: 200 }
          const outages = [{ ...refusals, leastMs: stopMs / 2 }]
          const changes = { far, near, stops, outages, forMs: stopMs + 3_000, thinkMs: 100 }
          const result = await judged(`stopped, ${writes}, ${name}`, changes)
          expect(wrong(result.violations, result.unexcused)).toEqual(nothing)
          expect(result.stopped).toBeGreaterThan(0)
        },
        longMs,
      )
    },
  )

  const restarts = [
    ['without its records', [], freshForMs + slackMs],
    ['with all that it acknowledged', durable, 0],
  ] as const
  test.each(longCalls === undefined ? restarts.slice(0, 1) : restarts)(
    "a cache store that is killed and starts again %s: writes: 'consistent'",
    async (what, args, mostMs) => {
      await using own = await ownServer('redis', { args })
      const harm = async (next: () => number): Promise<void> => {
        await pause(500 + next() * 1_500)
        await own.kill()
        await pause(next() * 500)
        await own.restart()
      }
      const far = { timeoutMs: 250, writes: 'consistent', freshForMs } as const
      const result = await judged(`restarted ${what}`, {
        far,
        near: { localTier: 'validated' },
        cacheUrl: own.url,
        outages: [refusals],
        forMs: restartForMs,
        thinkMs: 100,
        harm: (random) => harm(() => random.next()),
      })
      const violations = result.violations.filter(({ staleForMs }) => staleForMs > mostMs)
      expect(wrong(violations, result.unexcused)).toEqual(nothing)
      expect(result.totals.storeErrors).toBeGreaterThan(0)
    },
    longMs,
  )

  test(
    'processes killed, their network broken and the cache store killed, all at once',
    async () => {
      await using own = await ownServer('redis', { args: durable })
      const far = { timeoutMs: 100, writes: 'consistent' } as const
      const result = await judged('all at once', {
        far,
        near: { localTier: 'validated' },
        cacheUrl: own.url,
        ...broken,
        kills,
        outages: [refusals],
        forMs: restartForMs,
        thinkMs: 100,
        harm: async (random) => {
          await pause(500 + random.next() * 2_000)
          await own.restart()
        },
      })
      expect(wrong(result.violations, result.unexcused)).toEqual(nothing)
      expect(result.killed).toBeGreaterThan(0)
      expect(result.totals.storeErrors).toBeGreaterThan(0)
    },
    longMs,
  )

  test(
    'without leases the judge finds old values',
    async () => {
      let found = 0
      // The long form counts how often.
      for (let i = 0; i < runsOfPlanted && (longCalls !== undefined || found === 0); i++) {
        const changes = {
          far: { leases: false, timeoutMs: 5_000 },
          processes: 8,
          seed: processesSeed + i,
          calls: Math.min(calls, 4_000),
        }
        const { violations } = await judged('without leases', changes)
        if (violations.some(({ what }) => what === 'older than acknowledged')) found++
      }
      console.log(`without leases: found in ${found} of ${runsOfPlanted} runs`)
      expect(found).toBeGreaterThan(0)
    },
    longMs,
  )
})
