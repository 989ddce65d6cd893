import { describe, expect, test } from 'vitest'
import { constantRate } from '../src/loop/arrivals.ts'
import { timerClock, VirtualClock } from '../src/loop/clock.ts'
import { type ClosedLoopOptions, closedLoop } from '../src/loop/closed-loop.ts'
import { type OpenLoopOptions, openLoop } from '../src/loop/open-loop.ts'
import { type Operations, operations } from '../src/loop/operations.ts'
import { verdict } from '../src/loop/verdict.ts'

// Operations and options that go wrong. A loop must end, leave nothing running, and say what was wrong.

const nothing = operations('read', () => undefined)

/** Two kinds, of which `pick` names a third one after ten operations. */
const misnumbered = (start: () => Promise<unknown>): Operations => ({
  kinds: ['read', 'update'],
  pick: (sequence) => (sequence < 10 ? sequence % 2 : 2),
  start,
})

describe('closedLoop', () => {
  const answers: readonly (readonly [string, () => unknown])[] = [
    ['promises that are settled already', async () => undefined],
    ['promises that reject at once', async () => Promise.reject(new Error('no'))],
    [
      'errors thrown at once',
      () => {
        throw new Error('no')
      },
    ],
  ]
  test.each(answers)('lets the event loop turn between %s', async (_, start) => {
    let turns = 0
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await closedLoop(operations('read', start), { operations: 50_000, workers: 100 })
    isOver = true
    expect(turns).toBeGreaterThan(5)
  })

  test('lets it turn between a few operations that take long without waiting', async () => {
    const clock = new VirtualClock()
    let isAborted = false
    setImmediate(() => {
      isAborted = true
    })
    const work = operations('read', (sequence) => {
      if (sequence === 100) expect(isAborted).toBe(true)
      clock.pass(5)
    })
    expect(await closedLoop(work, { operations: 101, clock })).toMatchObject({ errors: 0 })
  })

  test('ends every worker before it reports that pick named no kind', async () => {
    const clock = new VirtualClock()
    let started = 0
    let running = 0
    const work = misnumbered(async () => {
      started++
      running++
      await clock.sleep(started * 10)
      running--
    })
    await expect(closedLoop(work, { workers: 4, operations: 50, clock })).rejects.toThrow(
      'pick of operation 10 returned 2, but there are 2 kinds of operation.',
    )
    expect([started, running]).toEqual([10, 0])
  })

  test('is aborted only if the signal ended it', async () => {
    const clock = new VirtualClock()
    const controller = new AbortController()
    const work = operations('read', async () => {
      await clock.sleep(10)
      controller.abort()
    })
    const { aborted } = await closedLoop(work, { durationMs: 10, signal: controller.signal, clock })
    expect(aborted).toBe(false)
  })

  test('measures nothing in no time, and says that this is nothing', async () => {
    const result = await closedLoop(nothing, { durationMs: 0 })
    expect(result).toMatchObject({ operations: 0, rate: 0, aborted: false })
    expect(verdict(result).map(({ reason }) => reason)).toEqual(['too-few-samples'])
  })

  test.each([
    { workers: Number.NaN, operations: 1 },
    { workers: 1.5, operations: 1 },
    { workers: Infinity, durationMs: 1 },
    { operations: Number.NaN },
    { operations: -1 },
    { operations: 1, atLeast: Number.NaN },
  ] as const satisfies readonly ClosedLoopOptions[])('refuses %o', async (options) => {
    await expect(closedLoop(nothing, options)).rejects.toThrow(/must be a whole number/)
  })
})

describe('openLoop', () => {
  test('notices an abort long before the next arrival', async () => {
    for (const rate of [1e-3, 1e-9]) {
      const clock = new VirtualClock()
      const controller = new AbortController()
      const work = operations('read', () => controller.abort())
      const result = await openLoop(work, { arrivals: constantRate(rate), signal: controller.signal, clock })
      expect(result).toMatchObject({ operations: 1, aborted: true })
      expect(clock.now()).toBeLessThanOrEqual(1_000)
    }
    const signal = AbortSignal.timeout(10)
    const work = operations('read', () => undefined)
    await openLoop(work, { arrivals: constantRate(1e-3), signal, clock: timerClock })
  })

  test('starts nothing after an abort that comes while an arrival queues', async () => {
    const clock = new VirtualClock()
    const controller = new AbortController()
    const work = operations('read', async () => {
      await clock.sleep(50)
      controller.abort()
    })
    const result = await openLoop(work, {
      arrivals: constantRate(1_000),
      signal: controller.signal,
      maxInFlight: 1,
      whenFull: 'queue',
      clock,
    })
    expect(result).toMatchObject({ operations: 1, aborted: true, open: { arrivals: 1, queued: 0 } })
  })

  test('waits for what is in flight before it reports that pick named no kind', async () => {
    const clock = new VirtualClock()
    let running = 0
    const work = misnumbered(async () => {
      running++
      await clock.sleep(100)
      running--
    })
    await expect(openLoop(work, { arrivals: constantRate(1_000), operations: 50, clock })).rejects.toThrow(
      'pick of operation 10 returned 2, but there are 2 kinds of operation.',
    )
    expect(running).toBe(0)
  })

  test('counts an operation once, whose answer calls back twice', async () => {
    const twice = {
      // oxlint-disable-next-line no-thenable -- a promise of another library
      then(resolve: (value: unknown) => void) {
        resolve(1)
        resolve(2)
      },
    }
    const work = operations('read', () => twice)
    const { kinds, operations: count } = await openLoop(work, { arrivals: constantRate(1e6), operations: 10 })
    expect([count, kinds[0]?.service.count]).toEqual([10, 10])
  })

  test('counts an answer as failed if its check names no kind', async () => {
    for (const loop of [openLoop, closedLoop] as const) {
      const work: Operations = { ...nothing, check: () => 7 }
      const options = loop === openLoop ? { arrivals: constantRate(1e6), operations: 3 } : { operations: 3 }
      const { errors, firstError } = await loop(work, options as OpenLoopOptions)
      expect(errors).toBe(3)
      expect(firstError).toEqual(
        new RangeError('check of operation 0 returned 7, but there are 1 kinds of operation.'),
      )
    }
  })

  test('measures nothing in no time, and says that this is nothing', async () => {
    const result = await openLoop(nothing, { arrivals: constantRate(1e6), durationMs: 0 })
    expect(result).toMatchObject({ operations: 0, rate: 0, aborted: false })
    expect(verdict(result).map(({ reason }) => reason)).toEqual(['too-few-samples'])
  })

  test('goes through a clock that jumps by a day', async () => {
    const clock = new VirtualClock()
    const work = operations('read', (sequence) => {
      if (sequence === 5) clock.pass(86_400_000)
    })
    const result = await openLoop(work, { arrivals: constantRate(1), operations: 1_000, clock })
    expect(result).toMatchObject({ operations: 1_000, errors: 0 })
    expect(verdict(result).map(({ reason }) => reason)).toContain('generator-saturated')
  })

  test.each([
    { maxInFlight: 0 },
    { maxInFlight: Number.NaN, whenFull: 'queue' },
    { maxInFlight: -1 },
    { operations: Number.NaN },
  ] as const satisfies readonly Partial<OpenLoopOptions>[])('refuses %o', async (options) => {
    const all = { arrivals: constantRate(1_000), operations: 3, ...options }
    await expect(openLoop(nothing, all)).rejects.toThrow(/must be a whole number/)
  })

  test('refuses another treatment of arrivals beyond the cap', async () => {
    const options = {
      arrivals: constantRate(1_000),
      operations: 3,
      whenFull: 'Queue',
    } as unknown as OpenLoopOptions
    await expect(openLoop(nothing, options)).rejects.toThrow("whenFull must be 'drop' or 'queue'")
  })
})

describe('verdict', () => {
  test('names small rates, and asks one sample of p100', async () => {
    const clock = new VirtualClock()
    const work = operations('read', () => clock.pass(20_000))
    const result = await openLoop(work, { arrivals: constantRate(0.1), operations: 20, clock })
    const found = verdict(result, { lagMs: Infinity, percentiles: [100] })
    expect(found.map(({ message }) => message)).toEqual([
      'the target was missed: 0.05 of 0.1 operations a second',
    ])
    expect(() => verdict(result, { percentiles: [101] })).toThrow(RangeError)
    expect(() => verdict(result, { percentiles: [Number.NaN] })).toThrow(RangeError)
  })
})
