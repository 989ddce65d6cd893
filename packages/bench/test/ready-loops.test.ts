import { expect, test } from 'vitest'
import { constantRate } from '../src/loop/arrivals.ts'
import { VirtualClock } from '../src/loop/clock.ts'
import { closedLoop } from '../src/loop/closed-loop.ts'
import { openLoop } from '../src/loop/open-loop.ts'
import type { Operations } from '../src/loop/operations.ts'

/** Operations of 10 ms that are ready when `waits` says so. */
function work(
  clock: VirtualClock,
  ready: NonNullable<Operations['ready']>,
): Operations & { readonly startedAt: number[] } {
  const startedAt: number[] = []
  return {
    startedAt,
    kinds: ['visit'],
    ready,
    pick: () => 0,
    start: () => {
      startedAt.push(clock.now())
      return clock.sleep(10)
    },
  }
}

test('a caller waits until an operation is ready, outside of its time', async () => {
  const clock = new VirtualClock()
  const visits = work(clock, async () => {
    await clock.sleep(40)
    return true
  })
  const result = await closedLoop(visits, { operations: 3, clock })
  expect(visits.startedAt).toEqual([40, 90, 140])
  expect(result.kinds[0]!.service.max).toBe(10e6)
  expect(result.elapsedMs).toBe(150)
})

test('a caller for whom there is nothing more ends, and the others with it', async () => {
  const clock = new VirtualClock()
  let left = 5
  const visits = work(clock, () => left-- > 0)
  const result = await closedLoop(visits, { workers: 3, durationMs: 1_000, clock })
  expect(result.operations).toBe(5)
  expect(result.elapsedMs).toBeLessThan(100)
})

test.each([
  ['its time is over', { durationMs: 250 }],
  ['it is aborted', {}],
  ['it has all its operations', { operations: 1, durationMs: 10_000 }],
])('waits end soon when a loop ends, as %s', async (_, limits) => {
  const clock = new VirtualClock()
  const controller = new AbortController()
  void clock.sleep(250).then(() => controller.abort())
  let isFirst = 'operations' in limits
  const visits = work(clock, (ended) => {
    if (isFirst) return !(isFirst = false)
    return new Promise((resolve) => ended.addEventListener('abort', () => resolve(false)))
  })
  const result = await closedLoop(visits, { workers: 2, clock, signal: controller.signal, ...limits })
  expect(clock.now()).toBeLessThanOrEqual(350)
  expect(result.operations).toBe('operations' in limits ? 1 : 0)
})

test('a wait that fails ends the loop with its error', async () => {
  const clock = new VirtualClock()
  const visits = work(clock, (ended) => {
    if (clock.now() === 0) return clock.sleep(20).then(() => Promise.reject(new TypeError('no users')))
    return new Promise((resolve) => ended.addEventListener('abort', () => resolve(false)))
  })
  await expect(closedLoop(visits, { durationMs: 1_000, workers: 3, clock })).rejects.toThrow('no users')
})

test('an open loop refuses operations that have to be ready', async () => {
  const clock = new VirtualClock()
  const visits = work(clock, () => true)
  await expect(openLoop(visits, { arrivals: constantRate(1), operations: 1, clock })).rejects.toThrow(
    /Use closedLoop/,
  )
})
