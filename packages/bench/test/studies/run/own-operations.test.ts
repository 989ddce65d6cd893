import { fileURLToPath } from 'node:url'
import { memory } from '@unikv/core/memory'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseThreshold } from '../../../src/driven/thresholds/threshold.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { run } from '../../../src/studies/run/run.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { drive, runConfig } from './drive.ts'

const visits = fileURLToPath(new URL('./fixtures/visits.mjs', import.meta.url))
const stuck = fileURLToPath(new URL('./fixtures/stuck.mjs', import.meta.url))
const own = { workload: visits, records: undefined, operations: 4_000, runs: 1 }

/** Where the modules tell of their calls: they are loaded by Node.js, not by the runner of tests. */
const log: string[] = []
Object.assign(globalThis, { ownLog: log })

afterEach(() => {
  log.length = 0
  vi.unstubAllEnvs()
})

describe('a workload of a module', () => {
  test('counts its own operations by name: times, misses, conflicts and failures', async () => {
    const failIf = ['visit.misses > 1%', 'race.errors > 0', 'visit.p50 > 9s'].map(parseThreshold)
    const result = await drive({ ...own, failIf })
    const { operations, runs } = result.targets[0]!
    const counts = new Map(
      operations.map(({ name, outcome, count, errors }) => [`${name} ${outcome}`, [count, errors]]),
    )
    expect([...counts.keys()]).toEqual([
      'read null',
      'visit null',
      'race null',
      'fail null',
      'visit miss',
      'race conflict',
    ])
    const [visits] = counts.get('visit null')!
    const [misses] = counts.get('visit miss')!
    expect(visits! / misses!).toBeCloseTo(3, 1)
    expect(visits! + misses!).toBeGreaterThan(1_800)
    expect(counts.get('fail null')).toEqual([0, runs[0]!.errors])
    expect(runs[0]!.firstError).toBe('fail failed (ECONNRESET): the line is cut')
    expect(operations.find(({ name }) => name === 'fail')!.errorCodes).toEqual({
      ECONNRESET: runs[0]!.errors,
    })
    expect(textReport(run, result)).toMatch(/^here +fail +ECONNRESET +\d+$/m)
    expect(result.thresholds.map(({ isCrossed }) => isCrossed)).toEqual([true, false, false])
    expect(textReport(run, result)).toMatch(/^here +visit \(miss\) /m)
    const files = resultFiles(run, result)
    expect(parseResult(run, files.get('result.json')!)).toEqual(result)
    expect(files.has('percentiles-visit.dat')).toBe(true)
  })

  test('of health records reads the most recent observations and adds new ones', async () => {
    const ehr = fileURLToPath(new URL('./fixtures/ehr.mjs', import.meta.url))
    const { operations, runs } = (await drive({ ...own, workload: ehr })).targets[0]!
    const count = (name: string): number =>
      operations.filter((one) => one.name === name).reduce((sum, one) => sum + one.count, 0)
    expect(runs[0]!.errors).toBe(0)
    expect(count('recent') + count('observe')).toBe(4_000)
    expect(Math.abs(count('recent') / 4_000 - 0.8)).toBeLessThan(0.03)
    // Two in 42 patients have no observation at the start.
    expect(
      operations.find(({ name, outcome }) => name === 'recent' && outcome === null)!.count,
    ).toBeGreaterThan(2_000)
  })

  test('gives each caller a state of its own, and calls setup and teardown once, while the records are there', async () => {
    await drive({ ...own, concurrency: 3, runs: 2 })
    const states = ['state 0', 'state 1', 'state 2']
    expect(log).toEqual(['setup here 10', ...states, ...states, 'teardown here 10'])
  })

  test('draws the same operations for the same seed, whatever the number of callers', async () => {
    const counts = async (fields: object) =>
      (await drive({ ...own, ...fields })).targets[0]!.runs[0]!.kinds.map(({ name, service }) => [
        name,
        service.count,
      ])
    expect(await counts({ concurrency: 1 })).toEqual(await counts({ concurrency: 7 }))
    expect(await counts({ concurrency: 1 })).not.toEqual(await counts({ seed: 5 }))
  })

  test('is not held up by an operation that never settles, and says so', async () => {
    const result = await drive({ ...own, workload: stuck, operations: 40, timeoutMs: 20 })
    expect(result.targets[0]!.runs[0]).toMatchObject({
      operations: 40,
      firstError: 'stuck failed (TIMEOUT): it did not settle within 20 ms',
    })
    expect(result.status).toBe('failed')
    expect(result.error).toContain('teardown of ')
    expect(result.error).toContain('failed for here: cannot clean up')
    expect(log).toEqual(['teardown'])
  })

  test('with a single record has data of its own: its setup tells no law of keys', async () => {
    const result = await drive({ ...own, operations: 40 })
    expect(textReport(run, result)).toMatch(/^records: [\d,]+, bytes of a value: .*\nkeys: /m)
    const alone: typeof result = structuredClone(result)
    Object.assign(alone.config.workload, { records: 1 })
    const text = textReport(run, alone)
    expect(text).toContain('records: those that the module makes\ncallers: ')
  })

  test('whose setup fails is torn down, and measures nothing', async () => {
    vi.stubEnv('UNIKV_TEST_SETUP', 'fails')
    const store = memory()
    await expect(drive({ ...own, workload: stuck }, store)).rejects.toThrow('failed for here: no such queue')
    expect(log).toEqual(['teardown'])
  })

  test('whose states cannot be made says so', async () => {
    vi.stubEnv('UNIKV_TEST_SETUP', 'no state')
    await expect(drive({ ...own, workload: stuck })).rejects.toThrow(
      `state of ${stuck} failed (TypeError): no session`,
    )
  })

  test('whose states never come ends, before the run and within it', async () => {
    vi.stubEnv('UNIKV_TEST_SETUP', 'stuck state')
    const fields = { ...own, workload: stuck, operations: 20, timeoutMs: 20 }
    await expect(drive(fields)).rejects.toThrow(
      `state of ${stuck} failed (TIMEOUT): it did not settle within 20 ms`,
    )
    const [abort, reason] = [new AbortController(), new Error('Ctrl-C')]
    const waiting = drive({ ...fields, timeoutMs: 60_000 }, memory(), {
      signal: abort.signal,
      onEvent: ({ type }) => void (type === 'loading' && setTimeout(() => abort.abort(reason), 100)),
    })
    await expect(waiting).rejects.toBe(reason)
  })

  test('takes other weights, and refuses a preset beside it and an operation that is nowhere', async () => {
    const config = await runConfig({ ...own, mix: { visit: 1 } })
    expect(config.workload).toMatchObject({ name: 'visits.mjs', records: 100, mix: { visit: 1 } })
    await expect(runConfig({ ...own, preset: 'b' })).rejects.toThrow('Choose --workload, or a preset')
    await expect(runConfig({ ...own, mix: { visits: 1 } })).rejects.toThrow(
      "Mix: there is no operation 'visits'; there are read, insert,",
    )
    const failIf = [parseThreshold('idle.p99 > 1ms')]
    await expect(drive({ ...own, failIf })).rejects.toThrow("'idle.p99 > 1ms' is about an operation")
  })

  test('tells stale reads by operations that say so alone', async () => {
    const untold = { ...own, mix: { untold: 1 }, operations: 1 }
    expect((await drive(untold)).targets[0]!.runs[0]).toMatchObject({
      firstError:
        'untold failed (INVALID_ARGUMENT): It answered context.stale. Give the operation `tellsStale: true`.',
    })
    const failIf = [parseThreshold('stale > 1%')]
    await expect(drive({ ...untold, failIf })).rejects.toThrow('needs an operation of your own with')
  })

  test('is refused where a store lacks what an operation needs', async () => {
    const store = memory()
    const poor = { ...store, capabilities: { ...store.capabilities, increment: false as const } }
    const reference = {
      file: 'x.mjs',
      sha256: '',
      operations: [{ name: 'count', needs: ['increment'], tellsStale: false }],
    }
    const config = await runConfig({})
    const workload = { ...config.workload, mix: { count: 1 }, module: reference }
    expect(() =>
      run.check({
        config: { ...config, workload },
        stores: [{ name: 'poor', url: 'memory:', store: poor }],
        caches: [],
        points: [],
      }),
    ).toThrow('poor cannot do the operation count: it needs increment.')
  })
})
