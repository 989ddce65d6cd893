import { testClock } from '@unikv/conformance'
import { keyValue, type PassThrough, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type Monitor, monitor } from '../src/index.ts'
import { keptHistory, recorder } from '../src/recorder/index.ts'
import { minute, recorded, start } from './recorded.ts'

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

  test('a record that something else wrote is named as damage, and left out if asked to', async () => {
    const keepIn = keyValue(memory())
    const { kv, its } = recorded({ keepIn })
    await kv.set('x', 1)
    await its.flush()
    const key = 'minute/2026-01-05T10:59Z/x'
    await keepIn.namespace('unikv.monitor').set(key, Buffer.from('{}'))
    await keepIn.namespace('unikv.monitor').set('now/x', Buffer.from('{}'))
    const { history, live } = keptHistory(keepIn)
    await expect(history()).rejects.toMatchObject({ code: 'CORRUPT', key })
    await expect(live()).rejects.toMatchObject({ code: 'CORRUPT', key: 'now/x' })
    const told: unknown[] = []
    const onUnreadable = (error: StoreError, key: string) => told.push([error.code, key])
    expect((await history({ onUnreadable })).map(({ calls }) => calls)).toEqual([1])
    await live({ onUnreadable })
    expect(told).toEqual([
      ['CORRUPT', key],
      ['CORRUPT', 'now/x'],
    ])
    await its.close()
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
