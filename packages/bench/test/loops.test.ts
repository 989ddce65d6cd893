import { Histogram } from '@unikv/core/histogram'
import { describe, expect, test } from 'vitest'
import { constantRate, poissonRate } from '../src/loop/arrivals.ts'
import { timerClock, VirtualClock } from '../src/loop/clock.ts'
import { closedLoop } from '../src/loop/closed-loop.ts'
import { openLoop } from '../src/loop/open-loop.ts'
import { type Operations, operations } from '../src/loop/operations.ts'
import { verdict } from '../src/loop/verdict.ts'
import { fastRandom } from '../src/random/random.ts'

const ms = (histogram: Histogram, percent: number): number => histogram.percentile(percent) / 1e6
const within = (found: number, expected: number, relative: number): void => {
  expect(Math.abs(found - expected) / expected).toBeLessThanOrEqual(relative)
}

describe('closedLoop', () => {
  test('runs N / R operations a second with N workers and a fixed service time R', async () => {
    const clock = new VirtualClock()
    const result = await closedLoop(
      operations('read', () => clock.sleep(5)),
      { workers: 100, operations: 2_000, clock },
    )
    within(result.rate, 20_000, 0.02)
    expect(result.operations).toBe(2_000)
    expect(ms(result.kinds[0]!.service, 50)).toBeCloseTo(5, 2)
  })

  test('starts every operation exactly once, in order, also when workers do not divide them', async () => {
    const seen: number[] = []
    await closedLoop(
      operations('read', async (sequence) => {
        seen.push(sequence)
      }),
      { workers: 7, operations: 1_000 },
    )
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
  })

  test('counts failures apart from latency and keeps the worker going', async () => {
    const clock = new VirtualClock()
    const result = await closedLoop(
      operations('read', async (sequence) => {
        if (sequence % 10 === 0) throw new Error(`no ${sequence}`)
        await clock.sleep(2)
      }),
      { workers: 3, operations: 100, clock },
    )
    expect(result.operations).toBe(100)
    expect(result.errors).toBe(10)
    expect(result.kinds[0]!.service.count).toBe(90)
    expect(result.kinds[0]!.service.min).toBe(2e6)
    expect(result.firstError).toEqual(new Error('no 0'))
    expect(verdict(result).map((invalid) => invalid.reason)).toEqual(['too-many-errors'])
  })

  test('ends after its duration, though not before the least number of operations', async () => {
    const clock = new VirtualClock()
    const work = operations('read', () => clock.sleep(10))
    expect((await closedLoop(work, { durationMs: 95, clock })).operations).toBe(10)
    expect((await closedLoop(work, { durationMs: 15, atLeast: 5, clock })).operations).toBe(5)
    expect((await closedLoop(work, { durationMs: 1e6, operations: 3, clock })).operations).toBe(3)
  })

  test('stops at an abort and says so', async () => {
    const controller = new AbortController()
    const result = await closedLoop(
      operations('read', async (sequence) => {
        if (sequence === 4) controller.abort()
      }),
      { operations: 100, signal: controller.signal },
    )
    expect(result.aborted).toBe(true)
    expect(result.operations).toBe(5)
  })

  test('keeps kinds of operations apart', async () => {
    const clock = new VirtualClock()
    const mix: Operations = {
      kinds: ['read', 'update'],
      pick: (sequence) => (sequence % 4 === 0 ? 1 : 0),
      start: (kind) => clock.sleep(kind === 1 ? 20 : 5),
    }
    const [read, update] = (await closedLoop(mix, { operations: 40, clock })).kinds
    expect([read!.name, read!.service.count, read!.service.mean]).toEqual(['read', 30, 5e6])
    expect([update!.name, update!.service.count, update!.service.mean]).toEqual(['update', 10, 20e6])
  })

  test('refuses to run without a limit or a worker', async () => {
    await expect(closedLoop(operations('read', () => 1))).rejects.toThrow(RangeError)
    await expect(
      closedLoop(
        operations('read', () => 1),
        { workers: 0, operations: 1 },
      ),
    ).rejects.toThrow(RangeError)
  })
})

describe('openLoop', () => {
  test('shows a stall in response times that service times hide', async () => {
    const clock = new VirtualClock()
    const work = operations('read', (sequence) => clock.pass(sequence === 5_000 ? 10_000 : 1))
    const result = await openLoop(work, { arrivals: constantRate(100), operations: 10_000, clock })
    const { service, response } = result.kinds[0]!
    within(service.mean / 1e6, 2, 1e-3)
    for (const percent of [50, 90, 99, 99.99]) within(ms(service, percent), 1, 1e-3)
    expect(ms(service, 100)).toBe(10_000)
    within(response.mean / 1e6, 556.944, 1e-3)
    const percentiles = {
      50: 1,
      75: 1,
      90: 1_000,
      95: 5_500,
      99: 9_100,
      99.9: 9_919,
      99.99: 9_991,
      100: 10_000,
    }
    for (const [percent, expected] of Object.entries(percentiles))
      within(ms(response, Number(percent)), expected, 2e-3)
    within(ms(response, 88.89), 1, 1e-3) // 1,111 of 10,000 operations waited
    within(ms(response, 88.9), 10, 1e-3)
  })

  test('agrees with the correction of a service series for its expected interval', () => {
    const corrected = new Histogram()
    for (let i = 0; i < 10_000; i++) corrected.recordCorrected((i === 5_000 ? 10_000 : 1) * 1_000, 10_000)
    expect(corrected.count).toBe(10_999)
    within(corrected.mean / 1_000, 455.95, 1e-3)
    within(corrected.percentile(95) / 1_000, 4_510, 1e-3)
    within(corrected.percentile(99) / 1_000, 8_910, 1e-3)
  })

  test('finds the M/M/1 response times of a server at 80 % load', async () => {
    const clock = new VirtualClock()
    const random = fastRandom(2)
    const work = operations('read', () => clock.pass(-Math.log1p(-random.next())))
    const arrivals = poissonRate(800, fastRandom(6))
    const { response } = (await openLoop(work, { arrivals, operations: 400_000, clock })).kinds[0]!
    within(response.mean / 1e6, 5, 0.05)
    within(ms(response, 50), 3.466, 0.05)
    within(ms(response, 95), 14.98, 0.05)
    within(ms(response, 99), 23.03, 0.05)
  })

  test('finds the M/D/1 response time of a server with a fixed service time', async () => {
    const clock = new VirtualClock()
    const arrivals = poissonRate(800, fastRandom(8))
    const work = operations('read', () => clock.pass(1))
    const { response } = (await openLoop(work, { arrivals, operations: 200_000, clock })).kinds[0]!
    within(response.mean / 1e6, 3, 0.05)
  })

  test('drops arrivals beyond the cap and marks the run invalid', async () => {
    const clock = new VirtualClock()
    const work = operations('read', () => clock.sleep(100))
    const result = await openLoop(work, {
      arrivals: constantRate(1_000),
      operations: 200,
      maxInFlight: 50,
      clock,
    })
    expect(result.open!.dropped).toBe(100)
    expect(result.open!.arrivals).toBe(200)
    expect(result.operations).toBe(100)
    expect(verdict(result).map((invalid) => invalid.reason)).toContain('arrivals-dropped')
  })

  test('queues arrivals beyond the cap when asked, and their wait is in the response', async () => {
    const clock = new VirtualClock()
    const work = operations('read', () => clock.sleep(10))
    const result = await openLoop(work, {
      arrivals: constantRate(1_000),
      operations: 20,
      maxInFlight: 1,
      whenFull: 'queue',
      clock,
    })
    expect(result.open!.dropped).toBe(0)
    expect(result.open!.queued).toBe(19)
    expect(ms(result.kinds[0]!.service, 100)).toBe(10)
    expect(ms(result.kinds[0]!.response, 100)).toBeCloseTo(181, 6)
  })

  test('puts the backlog of a store that stalled on the store, not on the generator', async () => {
    const clock = new VirtualClock()
    const stalled = operations('read', () =>
      clock.sleep(Math.max(1, clock.now() < 1_000 ? 1 : 3_000 - clock.now())),
    )
    const result = await openLoop(stalled, {
      arrivals: constantRate(500),
      operations: 5_000,
      maxInFlight: 4,
      whenFull: 'queue',
      clock,
    })
    expect(verdict(result)).toEqual([])
    const { service, response } = result.kinds[0]!
    expect(ms(service, 99)).toBeLessThan(2)
    expect(ms(response, 95)).toBeGreaterThan(1_000)
    expect(result.open!.queued).toBeGreaterThan(1_000)
  })

  test('runs rates below one a second', async () => {
    const clock = new VirtualClock()
    const result = await openLoop(
      operations('read', () => clock.pass(1)),
      { arrivals: constantRate(0.1), operations: 5, clock },
    )
    expect(result.elapsedMs).toBe(40_001)
    expect(verdict(result)).toEqual([])
  })

  test('keeps its schedule on real timers and ends with its duration', async () => {
    const result = await openLoop(
      operations('read', () => undefined),
      { arrivals: constantRate(2_000), durationMs: 100, clock: timerClock },
    )
    expect(result.open!.arrivals).toBe(200)
    expect(result.operations).toBe(200)
  })

  test('catches up within one tick of a coarse timer', async () => {
    const clock = new VirtualClock()
    const coarse = {
      now: () => clock.now(),
      wallNow: () => clock.wallNow(),
      wait: (until: number) => (until === Infinity ? clock.wait(until) : clock.sleep(1)),
    }
    const work = operations('read', () => undefined)
    const result = await openLoop(work, {
      arrivals: constantRate(200_000),
      operations: 20_000,
      clock: coarse,
    })
    expect(result.elapsedMs).toBeLessThanOrEqual(101)
    expect(ms(result.open!.lag, 100)).toBeLessThanOrEqual(1)
  })

  test('waits for what is in flight after an abort', async () => {
    const clock = new VirtualClock()
    const controller = new AbortController()
    let open = 0
    const work = operations('read', async (sequence) => {
      open++
      if (sequence === 3) controller.abort()
      await clock.sleep(50)
      open--
    })
    const result = await openLoop(work, { arrivals: constantRate(1_000), signal: controller.signal, clock })
    expect(open).toBe(0)
    expect(result.aborted).toBe(true)
    expect(result.operations).toBe(4)
  })

  test('refuses a rate that is none, and to run without a limit', async () => {
    for (const rate of [0, -1, Number.NaN, Infinity]) expect(() => constantRate(rate)).toThrow(RangeError)
    await expect(
      openLoop(
        operations('read', () => 1),
        { arrivals: constantRate(1) },
      ),
    ).rejects.toThrow(RangeError)
  })
})

describe('verdict', () => {
  const run = async (latenessMs: number, serviceMs: number): Promise<readonly string[]> => {
    const clock = new VirtualClock()
    const late = { ...bind(clock), wait: async (until: number) => clock.wait(until + latenessMs) }
    const work = operations('read', () => clock.pass(serviceMs))
    const result = await openLoop(work, { arrivals: constantRate(10), operations: 2_000, clock: late })
    return verdict(result, { percentiles: [99] }).map((invalid) => invalid.reason)
  }
  const bind = (clock: VirtualClock) => ({ now: () => clock.now(), wallNow: () => clock.wallNow() })

  test('blames a generator that is late by more than 1 ms and a tenth of the median response', async () => {
    expect(await run(0, 5)).toEqual([])
    expect(await run(0.9, 5)).toEqual([])
    expect(await run(3, 5)).toEqual(['generator-saturated'])
    expect(await run(3, 50)).toEqual([])
  })

  test('blames a closed loop whose process does other work, and not a store that blocks it', async () => {
    const found = async (othersMs: number, storeMs: number): Promise<readonly string[]> => {
      const clock = new VirtualClock()
      let lostMs = 0
      const block = (ms: number): void => {
        lostMs += ms
        clock.pass(ms)
      }
      const others = async (): Promise<void> => {
        for (let turn = 0; turn < 10; turn++) await clock.sleep(100).then(() => block(othersMs))
      }
      const work = operations('read', (sequence) => {
        if (sequence % 20 === 0) block(storeMs)
        return clock.sleep(5)
      })
      const busy = others()
      const watched = Object.assign(clock, { watchLost: () => () => lostMs })
      const result = await closedLoop(work, { workers: 2, durationMs: 5_000, clock: watched })
      await busy
      return verdict(result).map(({ reason }) => reason)
    }
    expect(await found(400, 0)).toEqual(['generator-saturated'])
    expect(await found(90, 0)).toEqual([])
    expect(await found(0, 400)).toEqual([])
  })

  test('says when the target was missed by more than 5 %', async () => {
    const clock = new VirtualClock()
    const work = operations('read', () => clock.pass(1))
    const result = await openLoop(work, { arrivals: constantRate(1_200), operations: 1_000, clock })
    const found = verdict(result)
    expect(found.map((invalid) => invalid.reason)).toContain('target-missed')
    expect(found.find((invalid) => invalid.reason === 'target-missed')?.message).toBe(
      'the target was missed: 1000 of 1200 operations a second',
    )
  })

  test('keeps a target that operations reached in time, though one of them ends long after it', async () => {
    const clock = new VirtualClock()
    const work = operations('read', (sequence) => clock.sleep(sequence === 500 ? 5_000 : 1))
    const result = await openLoop(work, { arrivals: constantRate(1_000), durationMs: 1_000, clock })
    expect([Math.round(result.elapsedMs), result.countedMs, result.kinds[0]?.late]).toEqual([5_500, 1_000, 1])
    expect(verdict(result)).toEqual([])
  })

  test('says when the clock was set, and when a percentile has too few samples', async () => {
    const clock = new VirtualClock()
    const work = operations('read', (sequence) => {
      if (sequence === 5) clock.wallOffsetMs = 3_600_000
      return clock.pass(1)
    })
    const result = await closedLoop(work, { operations: 100, clock })
    expect(verdict(result, { percentiles: [90, 99] }).map((invalid) => invalid.reason)).toEqual([
      'clock-jumped',
      'too-few-samples',
    ])
  })
})
