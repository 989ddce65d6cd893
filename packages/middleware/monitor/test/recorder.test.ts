import { testClock } from '@unikv/conformance'
import { json, keyValue, type PassThrough, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type Monitor, monitor } from '../src/index.ts'
import { keptHistory, type RecorderOptions, recorder } from '../src/recorder/index.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 5, 10, 59)

/** A monitored store on a clock, and its recorder. */
function recorded(options: RecorderOptions = {}) {
  const clock = testClock(start)
  const m = monitor({ clock, timeEverySync: true })
  const kv = keyValue(memory(), [m, json()])
  return { clock, m, kv, its: recorder(m, { clock, ...options }) }
}

describe('history', () => {
  test('adds up what several processes did, by minute, hour and day', async () => {
    const keepIn = keyValue(memory())
    const [a, b] = [recorded({ keepIn }), recorded({ keepIn })]
    await a.kv.set('x', 1)
    await b.kv.set('y', 2)
    await a.its.flush()
    await b.its.close()
    a.clock.advance(minute)
    await a.kv.setMany([
      ['x', 1],
      ['z', 3],
    ])
    await a.kv.get('absent')
    await a.its.close()

    const figures = async (resolution: 'minute' | 'hour' | 'day') =>
      (await keptHistory(keepIn).history({ resolution })).map(
        ({ at, store, operation, calls, items, absent }) => [at, store, operation, calls, items, absent],
      )
    expect(await figures('minute')).toEqual([
      [start, 'memory', 'set', 2, 2, 0],
      [start + minute, 'memory', 'read', 1, 1, 1],
      [start + minute, 'memory', 'set', 1, 2, 0],
    ])
    expect(await figures('hour')).toEqual([
      [start - 59 * minute, 'memory', 'set', 2, 2, 0],
      [start + minute, 'memory', 'read', 1, 1, 1],
      [start + minute, 'memory', 'set', 1, 2, 0],
    ])
    const midnight = start - 659 * minute
    expect(await figures('day')).toEqual([
      [midnight, 'memory', 'read', 1, 1, 1],
      [midnight, 'memory', 'set', 3, 4, 0],
    ])
  })

  test('gives a span, a store and an operation', async () => {
    const keepIn = keyValue(memory())
    const { kv, its, clock, m } = recorded({ keepIn })
    for (let i = 0; i < 4; i++) {
      await kv.set('x', i)
      m.measure('reports', () => i)
      await its.flush()
      clock.advance(minute)
    }
    const points = await its.history({
      store: 'reports',
      operation: 'native',
      from: new Date(start + minute),
      to: start + 3 * minute,
    })
    expect(points.map(({ at, calls }) => [at, calls])).toEqual([
      [start + minute, 1],
      [start + 2 * minute, 1],
    ])
    await its.close()
  })

  test('percentiles of merged processes are those of all calls', async () => {
    const keepIn = keyValue(memory())
    let now = 0
    const durations = Array.from({ length: 1000 }, (_, i) => 1 + ((i * 7919) % 1000) / 10)
    const clock = testClock(start)
    const monitors = [0, 1].map(() => monitor({ monotonicClock: () => now, timeEverySync: true, clock }))
    const recorders = monitors.map((m) => recorder(m, { keepIn, clock }))
    for (const [i, duration] of durations.entries())
      (monitors[i % 2] as Monitor).measure('sql', () => void (now += duration))
    for (const its of recorders) await its.close()
    const [point] = await keptHistory(keepIn).history({ resolution: 'hour' })
    const sorted = durations.toSorted((a, b) => a - b)
    expect(point?.calls).toBe(1000)
    expect(point?.latency.maxMs).toBeCloseTo(sorted.at(-1) as number, 6)
    for (const [percent, found] of [
      [50, point?.latency.p50Ms],
      [99, point?.latency.p99Ms],
    ] as const) {
      const exact = sorted[Math.ceil((percent / 100) * 1000) - 1] as number
      expect(Math.abs((found as number) - exact) / exact).toBeLessThan(1 / 128)
    }
  })

  test('a clock that is set back loses nothing', async () => {
    const { kv, its, clock } = recorded({ keepIn: keyValue(memory()) })
    await kv.set('x', 1)
    await its.flush()
    clock.advance(minute)
    await kv.set('x', 2)
    await its.flush()
    clock.advance(-minute)
    await kv.set('x', 3)
    const points = await its.history()
    expect(points.map(({ at, calls }) => [at, calls])).toEqual([
      [start, 1],
      [start + minute, 2],
    ])
    await its.close()
  })

  test('a clock that jumps a day ahead and back: windows go on, and each period has its calls', async () => {
    const keepIn = keyValue(memory())
    const steady = testClock(0)
    const { kv, its, clock } = recorded({ keepIn, monotonicClock: steady })
    await kv.set('x', 1)
    await its.flush()
    clock.advance(24 * 60 * minute)
    await kv.set('x', 2)
    await its.flush()
    clock.advance(-24 * 60 * minute)
    for (let second = 0; second < 40; second++) {
      await kv.set('x', 3)
      clock.advance(1000)
      steady.advance(1000)
      its.window('5s')
    }
    const { frame, seenMs } = its.window('5s')
    expect([frame['memory']?.set?.items, seenMs]).toEqual([5, 5000])
    const points = await its.history()
    const ahead = points.filter(({ at }) => at > start + 60 * minute)
    expect(ahead.map(({ calls }) => calls)).toEqual([1])
    expect(points.reduce((sum, { calls }) => sum + calls, 0)).toBe(42)
    expect(await keepIn.namespace('unikv.monitor').count({ prefix: 'now/' })).toBe(1)
    await its.close()
  })

  test.each([
    [{ from: '2026-01-05T10:59', to: '2026-01-05T11:00Z' }, 1],
    [{ from: '2026-01-05 11:59+01:00', to: new Date(start + minute) }, 1],
    [{ from: '2026-01-05', to: String(start) }, 0],
    [{ from: '2026-01-06' }, 0],
    [{ from: -8.64e15, to: 8.64e15 }, 1],
  ])('a span of the past takes dates, in UTC without a zone: %j', async (span, found) => {
    const { kv, its } = recorded({ keepIn: keyValue(memory()) })
    await kv.set('x', 1)
    expect(await its.history(span)).toHaveLength(found)
    await its.close()
  })

  test.each([
    [{ from: 'foo 5' }, 'from must be a date'],
    [{ to: '5' }, 'to must be a date'],
    [{ from: true }, 'from must be a date'],
    [{ from: '2026-01-06', to: '2026-01-05' }, 'from must not be after to.'],
    [{ store: 5 }, 'store must be a name, got a number.'],
  ])('%j is no span of the past', async (query, words) => {
    const { its } = recorded({ keepIn: keyValue(memory()) })
    await expect(its.history(query as never)).rejects.toThrow(words)
    await its.close()
  })

  test('a record of something else is named', async () => {
    const keepIn = keyValue(memory())
    await keepIn.namespace('unikv.monitor').set('minute/2026-01-05T10:59Z/other', Buffer.from('{"format":2}'))
    await expect(keptHistory(keepIn).history()).rejects.toThrow('The record minute/2026-01-05T10:59Z/other')
  })

  test('of records that cannot be written the reason is told, not how many', async () => {
    const full = passThrough('full', {
      wrap: (inner) => ({
        write: (mutations) =>
          mutations.map(() => new StoreError('STORE_FULL', 'No room left.', { store: inner.name })),
      }),
    })
    const { kv, its } = recorded({ keepIn: keyValue(memory(), [full]) })
    await kv.set('x', 1)
    await expect(its.flush()).rejects.toThrow('No room left.')
    await expect(its.close()).rejects.toThrow('No room left.')
  })

  test('summaries without anything new are not written again', async () => {
    const written: string[][] = []
    const seen = passThrough('seen', {
      wrap: (inner) => ({
        write: (mutations, call) => {
          written.push(mutations.map(({ key }) => key).filter((key) => key.includes('day/')))
          return inner.write(mutations, call)
        },
      }),
    })
    const { kv, its, clock } = recorded({ keepIn: keyValue(memory(), [seen]) })
    await kv.set('x', 1)
    for (let flush = 0; flush < 3; flush++) {
      clock.advance(minute)
      await its.flush()
    }
    expect(written.map((keys) => keys.length)).toEqual([1, 0, 0])
    await its.close()
  })

  test('what could not be written is written with the next figures', async () => {
    let isDown = true
    const failing = passThrough('failing', {
      wrap: (inner) => ({
        write: (mutations, call) => {
          if (isDown) throw new StoreError('UNAVAILABLE', 'The store is down.')
          return inner.write(mutations, call)
        },
      }),
    })
    const keepIn = keyValue(memory(), [failing])
    const { kv, its, clock } = recorded({ keepIn })
    await kv.set('x', 1)
    await expect(its.flush()).rejects.toThrow('The store is down.')
    clock.advance(minute)
    await kv.set('x', 2)
    isDown = false
    const points = await its.history()
    expect(points.map(({ at, calls }) => [at, calls])).toEqual([
      [start, 1],
      [start + minute, 1],
    ])
    await its.close()
  })

  test('a record that something else wrote is named as damage, not left out', async () => {
    const keepIn = keyValue(memory())
    await keepIn.namespace('unikv.monitor').set('minute/2026-01-05T10:59Z/x', Buffer.from('{}'))
    await expect(keptHistory(keepIn).history()).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('old summaries of a store without expiry are swept', async () => {
    const withoutExpiry = passThrough<{ ttl: false }>('plain', {
      capabilities: { ttl: false },
      wrap: () => ({}),
    })
    const keepIn = keyValue(memory(), [withoutExpiry])
    const first = recorded({ keepIn, minutesMs: minute })
    await first.kv.set('x', 1)
    await first.its.close()
    const clock = testClock(start + 3 * minute)
    const later = recorder(monitor(), { keepIn, minutesMs: minute, clock })
    await expect.poll(() => keptHistory(keepIn).history()).toEqual([])
    expect(await keptHistory(keepIn).history({ resolution: 'hour' })).toHaveLength(1)
    await later.close()
  })
})

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

describe('bad input', () => {
  const options = (given: object) => () => recorder(monitor(), given)

  test.each<[string, () => unknown, string]>([
    ['an unknown option', options({ flush: 5 }), 'flushMs'],
    ['a flush that is too often', options({ flushMs: 1 }), 'flushMs'],
    ['a store that cannot list', options({ keepIn: keyValue(memory(), [unlisted()]) }), 'cannot list keys'],
    ['its own store', ownKeeper((m) => [m]), 'which would count its own writes without end'],
    [
      'its own store, by bytes',
      ownKeeper((m) => [m.traffic()]),
      'which would count its own writes without end',
    ],
    [
      'a flush that no timer waits for',
      options({ keepIn: keyValue(memory()), flushMs: 1e12 }),
      'at most 3600000',
    ],
    [
      'a name of a process that is none',
      options({ keepIn: keyValue(memory()), processName: 5 }),
      'processName',
    ],
    [
      'a name with a line break',
      options({ keepIn: keyValue(memory()), processName: 'a\nb' }),
      'control characters',
    ],
    ['a retention of what is not kept', options({ hoursMs: 1e9 }), '`hoursMs` of recorder() needs `keepIn`'],
    ['what is no monitor', () => recorder({} as Monitor), 'monitor()'],
    ['a measured call without a name', () => monitor().measure('', () => 1), 'name'],
    ['a measured call without a function', () => monitor().measure('sql', 1 as never), 'function'],
  ])('%s', (_, act, words) => {
    expect(act).toThrow(words)
  })

  test('a monitor has one recorder at a time', async () => {
    const m = monitor()
    const first = recorder(m)
    expect(() => recorder(m)).toThrow('has a recorder already')
    await first.close()
    const second = recorder(m)
    m.measure('sql', () => 1)
    expect(first.window('5s').frame).toEqual({})
    expect(second.window('5s').frame).toHaveProperty('sql')
    await second.close()
  })
})

function ownKeeper(layers: (m: Monitor) => readonly PassThrough[]) {
  const m = monitor()
  return () => recorder(m, { keepIn: keyValue(memory(), layers(m)) })
}

function unlisted() {
  return passThrough<{ scan: false }>('unlisted', { capabilities: { scan: false }, wrap: () => ({}) })
}

test('what was counted before a reset is still recorded', async () => {
  const { kv, m, its } = recorded()
  await kv.set('x', 1)
  m.reset()
  await kv.set('x', 2)
  expect(its.window('5s').frame['memory']?.set?.items).toBe(2)
  await its.close()
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

  test('the load of the process is there after a second', async () => {
    const { its } = timed()
    await expect
      .poll(() => its.features().windows['5s'].process?.memoryBytes ?? 0, { timeout: 30_000 })
      .toBeGreaterThan(1e6)
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
