import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunResult, type RunSetting, run } from './processes/run.ts'
import { bundleWorker } from './processes/worker.ts'

const calls = Number(process.env['UNIKV_CALLS'] ?? 800)
const runsOfPlanted = Number(process.env['UNIKV_RUNS'] ?? 2)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const longMs = 3_600_000
/** Of a run whose network to the cache store breaks. */
const freshForMs = 400
/** What it has acknowledged survives it: with `everysec` marks may be lost, and former values be read for `freshForMs`. */
const durable = ['--appendonly', 'yes', '--appendfsync', 'always'] as const
/** Clocks, and a process that is late to note when it began. */
const slackMs = 50

describeWithOwn('redis', () => {
  let folder = ''
  let script = ''
  let source: OwnServer
  let store: OwnServer

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unikv-processes-'))
    script = await bundleWorker(folder)
    source = await ownServer('redis')
    store = await ownServer('redis')
  })
  afterAll(async () => {
    await Promise.all([source?.stop(), store?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  /** Eight processes on one Redis. */
  async function judged(name: string, changes: Partial<RunSetting>): Promise<RunResult> {
    const common = { folder, script, sourceUrl: source.url, cacheUrl: store.url, seed, processes: 8, calls }
    const result = await run({ ...common, far: { timeoutMs: 5_000 }, isValidated: false, ...changes })
    const { violations, unexcused, ...counts } = result
    const longest = Math.max(0, ...violations.map(({ staleForMs }) => staleForMs))
    console.log(
      `${name}, seed ${changes.seed ?? seed}: ${violations.length} older than acknowledged (${longest.toFixed(0)} ms at most), ${unexcused.length} wrongly rejected; ${JSON.stringify(counts)}`,
    )
    expect(result.reads).toBeGreaterThan(calls / 2)
    return result
  }

  const promised = (result: RunResult) => ({
    violations: result.violations.slice(0, 3),
    unexcused: result.unexcused.slice(0, 3),
  })
  const kept = { violations: [], unexcused: [] }
  /** What a write may be told while the cache store cannot be: before it is sent, or when its end cannot be confirmed. */
  const refusals = {
    calls: ['write'],
    codes: ['UNAVAILABLE', 'OUTCOME_UNKNOWN'],
    fromMs: 0,
    untilMs: Number.POSITIVE_INFINITY,
  } as const

  describe.each([false, true])('validated local tier %s', (isValidated) => {
    const name = isValidated ? 'validated' : 'shared tier'

    test(
      'no read is older than acknowledged, and no reader is wrongly rejected',
      async () => {
        const result = await judged(`healthy, ${name}`, { isValidated })
        expect(promised(result)).toEqual(kept)
        expect(result).toMatchObject({ unmarkedWrites: 0, outOfTime: 0 })
        expect(result.hits).toBeGreaterThan(0)
        expect(result.confirmed > 0).toBe(isValidated)
      },
      longMs,
    )

    test(
      "writes: 'consistent' keeps it where the network to the cache store breaks",
      async () => {
        const far = { timeoutMs: 100, writes: 'consistent' } as const
        const broken = { far, isValidated, breaksNetwork: true, outages: [refusals] }
        const result = await judged(`cut off, consistent, ${name}`, broken)
        expect(promised(result)).toEqual(kept)
        expect(result.storeErrors).toBeGreaterThan(0)
      },
      longMs,
    )

    test(
      "writes: 'available' rejects nothing then, and nothing is older than freshForMs",
      async () => {
        const far = { timeoutMs: 100, freshForMs }
        const result = await judged(`cut off, available, ${name}`, { far, isValidated, breaksNetwork: true })
        const { violations, unexcused } = result
        expect(violations.filter(({ what }) => what !== 'older than acknowledged')).toEqual([])
        expect(violations.filter(({ staleForMs }) => staleForMs > freshForMs + slackMs)).toEqual([])
        expect(unexcused.slice(0, 3)).toEqual([])
        expect(result.storeErrors).toBeGreaterThan(0)
      },
      longMs,
    )

    test.each(['consistent', 'available'] as const)(
      'kill -9 of processes changes nothing: writes %s',
      async (writes) => {
        const far = { timeoutMs: 5_000, writes }
        // A process that gets no time for so long cannot mark what it writes.
        const outages = writes === 'consistent' ? [{ ...refusals, leastMs: far.timeoutMs }] : []
        const result = await judged(`killed, ${writes}, ${name}`, { far, isValidated, kills: true, outages })
        expect(promised(result)).toEqual(kept)
        expect(result.killed).toBeGreaterThan(0)
      },
      longMs,
    )
  })

  test.each([
    ['with all that it acknowledged', durable, 0],
    ['without its records', [], freshForMs + slackMs],
  ] as const)(
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
        isValidated: true,
        cacheUrl: own.url,
        outages: [refusals],
        harm: (random) => harm(() => random.next()),
      })
      const violations = result.violations.filter(({ staleForMs }) => staleForMs > mostMs)
      expect(promised({ ...result, violations })).toEqual(kept)
      expect(result.storeErrors).toBeGreaterThan(0)
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
        isValidated: true,
        cacheUrl: own.url,
        breaksNetwork: true,
        kills: true,
        outages: [refusals],
        harm: async (random) => {
          await pause(1_000 + random.next() * 3_000)
          await own.restart()
        },
      })
      expect(promised(result)).toEqual(kept)
    },
    longMs,
  )

  test(
    'without leases the judge finds old values',
    async () => {
      let found = 0
      for (let i = 0; i < runsOfPlanted; i++) {
        const changes = {
          far: { leases: false, timeoutMs: 5_000 },
          seed: seed + i,
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
