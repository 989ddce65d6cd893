import { testClock } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { monitor } from '../src/index.ts'
import { keptHistory, type RecorderOptions, recorder } from '../src/recorder/index.ts'
import { recorded, start } from './recorded.ts'

describe('windows', () => {
  test('slide', async () => {
    const { kv, its, clock } = recorded()
    const sets = (name: '5s' | '30s' | '5min') => its.window(name).frame['memory']?.set?.items ?? 0
    for (let second = 0; second < 400; second++) {
      await kv.set('x', second)
      clock.advance(1000)
      its.window('5s')
    }
    expect(sets('5s')).toBe(5)
    expect(sets('30s')).toBe(30)
    expect(Math.abs(sets('5min') - 300)).toBeLessThanOrEqual(10)
    clock.advance(6000)
    expect(sets('5s')).toBe(0)
    expect(its.window('30s').seenMs).toBeGreaterThanOrEqual(30_000)
    await its.close()
  })

  test('since a mark follow each other without a gap', async () => {
    const { kv, its, clock } = recorded()
    let { mark } = its.since()
    let sum = 0
    for (let i = 0; i < 50; i++) {
      await kv.set('x', i)
      clock.advance(700)
      if (i % 3 === 0) {
        const next = its.since(mark)
        expect(next.seenMs).toBe(i === 0 ? 700 : 2100)
        sum += next.frame['memory']?.set?.items ?? 0
        mark = next.mark
      }
    }
    expect(sum).toBe(49)
    expect(() => its.since(Number.NaN)).toThrow('since() takes the mark')
    await its.close()
  })

  test('live processes are seen until they close', async () => {
    const keepIn = keyValue(memory())
    const m = monitor()
    const its = recorder(m, { keepIn, processName: 'web-1' })
    m.measure('sql', () => 1)
    await its.flush()
    const [process] = await keptHistory(keepIn).live()
    expect(process).toMatchObject({ name: 'web-1', frame: { sql: { native: { items: 1 } } } })
    await its.close()
    expect(await keptHistory(keepIn).live()).toEqual([])
  })
})

describe('features and policies', () => {
  /** A monitor whose calls take as long as they say, on one clock. */
  function timed(options: RecorderOptions = {}) {
    const clock = testClock(start)
    let now = 0
    const m = monitor({ clock, monotonicClock: () => now, timeEverySync: true })
    const call = (durationMs: number, fails = false): void => {
      try {
        m.measure('sql', () => {
          now += durationMs
          if (fails) throw new Error('no such table')
        })
      } catch {}
    }
    return { clock, call, its: recorder(m, { clock, ...options }) }
  }

  test('features are rates, shares and percentiles of each window', async () => {
    const { clock, call, its } = timed()
    its.window('5s')
    for (let i = 0; i < 100; i++) call(i < 90 ? 1 : 50, i < 10)
    clock.advance(4000)
    const { windows } = its.features()
    const sql = windows['5s'].stores['sql']?.native
    expect(windows['5s'].seenMs).toBe(4000)
    expect(sql).toMatchObject({ callsPerSecond: 25, itemsPerSecond: 25, mix: 1, errorShare: 0.1, hitRate: 0 })
    expect(sql?.p50Ms).toBeCloseTo(1, 1)
    expect(sql?.maxMs).toBeCloseTo(50, 3)
    expect(windows['5min'].stores).toEqual(windows['5s'].stores)
    await its.close()
  })

  test('a policy is told once when it is violated, and once when it holds again', async () => {
    const events: string[] = []
    const { clock, call, its } = timed({
      policies: [
        { store: 'sql', operation: 'native', percentile: 99, belowMs: 10, over: '5s' },
        { store: 'sql', operation: 'native', maxErrorShare: 0.05, over: '5s' },
      ],
      onEvent: (event) => {
        if (event.type === 'violated' || event.type === 'held')
          events.push(`${event.type} ${Object.keys(event.violation.policy)[2]} ${event.violation.calls}`)
      },
    })
    for (let i = 0; i < 50; i++) call(i === 0 ? 1 : 20, i < 5)
    await expect.poll(() => its.violations().length, { timeout: 30_000 }).toBe(2)
    const [slow, failing] = its.violations()
    expect(slow?.found).toBeGreaterThan(19)
    expect(failing).toMatchObject({ found: 0.1, limit: 0.05, calls: 50 })
    clock.advance(60_000)
    await expect.poll(() => its.violations(), { timeout: 30_000 }).toEqual([])
    expect(events).toEqual([
      'violated percentile 50',
      'violated maxErrorShare 50',
      'held percentile 50',
      'held maxErrorShare 50',
    ])
    await its.close()
  })

  test('the load of the process is there after a second, and kept; earlier records have none', async () => {
    const keepIn = keyValue(memory())
    const its = recorder(monitor(), { keepIn })
    await expect
      .poll(() => its.features().windows['5s'].process?.memoryBytes ?? 0, { timeout: 30_000 })
      .toBeGreaterThan(1e6)
    await its.flush()
    const [live] = await keptHistory(keepIn).live()
    expect(live?.process).toMatchObject({ memoryBytes: expect.any(Number), cpuShare: expect.any(Number) })
    const records = keepIn.namespace('unikv.monitor')
    const { process: _, ...earlier } = JSON.parse(
      Buffer.from((await records.get(`now/${live?.id}`))!).toString(),
    )
    await records.set(`now/${live?.id}`, Buffer.from(JSON.stringify(earlier)))
    expect((await keptHistory(keepIn).live())[0]).toEqual({ ...live, process: undefined })
    await its.close()
  })

  const policy = { store: 'sql', operation: 'native' } as const
  test.each<[string, unknown, string]>([
    ['no list', {}, 'policies of recorder() must be a list'],
    ['no limit', [policy], 'policies[0] of recorder() must have exactly one of'],
    ['two limits', [{ ...policy, belowMs: 1, minHitRate: 1 }], 'exactly one of'],
    ['an unknown option', [{ ...policy, below: 1 }], "has no option 'below'. Did you mean 'belowMs'?"],
    ['an unknown operation', [{ ...policy, operation: 'reed', belowMs: 1 }], "Did you mean 'read'?"],
    ['an unknown window', [{ ...policy, over: '1h', belowMs: 1 }], 'over must be one of 5s, 30s, 5min'],
    [
      'a share above 1',
      [{ ...policy, maxErrorShare: 5 }],
      'maxErrorShare must be a number from 0 to below 1',
    ],
    [
      'a time that nothing is below',
      [{ ...policy, belowMs: 0 }],
      'belowMs must be a number of milliseconds above 0',
    ],
    ['a time that all are below', [{ ...policy, belowMs: Number.POSITIVE_INFINITY }], 'belowMs must be'],
    [
      'a percentile that is a text',
      [{ ...policy, belowMs: 5, percentile: '99' }],
      'percentile must be a number',
    ],
    [
      'a percentile of a share',
      [{ ...policy, maxErrorShare: 0.1, percentile: 50 }],
      'percentile belongs to belowMs',
    ],
    ['calls that are a text', [{ ...policy, belowMs: 5, minCalls: '20' }], 'minCalls must be a number'],
    [
      'hits of writes',
      [{ store: 'a', operation: 'set', minHitRate: 0.5 }],
      'minHitRate is of the operation read, got set',
    ],
  ])('%s is refused', (_, policies, words) => {
    expect(() => recorder(monitor(), { policies: policies as never })).toThrow(words)
  })
})

test('what was counted before a reset is still recorded', async () => {
  const { kv, m, its } = recorded()
  await kv.set('x', 1)
  m.reset()
  await kv.set('x', 2)
  expect(its.window('5s').frame['memory']?.set?.items).toBe(2)
  await its.close()
})
