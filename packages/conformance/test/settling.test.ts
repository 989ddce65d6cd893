import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { LagMeter, Stopwatch, strictly } from '../src/network/settling.ts'

async function timed(...calls: readonly (() => Promise<unknown>)[]): Promise<Stopwatch> {
  const watch = new Stopwatch(strictly)
  for (const call of calls) await watch.time(50, call).catch(() => {})
  return watch
}

/** Wait for so long of the time in which this process had the processor: on a busy machine that is less than has passed. */
async function lateBy(ms: number): Promise<void> {
  const meter = new LagMeter()
  const startedAt = performance.now()
  while (performance.now() - startedAt - meter.lagMs < ms) await pause(10)
  meter.stop()
}

describe('the rule for deadlines', () => {
  test('holds for calls that end in time, whichever way', async () => {
    const watch = await timed(
      () => pause(20),
      () => pause(60),
      () => Promise.reject(new Error('refused')),
    )
    watch.check()
    expect(watch.calls).toBe(3)
    expect(watch.latestMs).toBeLessThan(50)
  })

  test('is broken by one call that ends far too late', async () => {
    const watch = await timed(
      () => pause(1),
      () => pause(1),
      () => lateBy(400),
    )
    expect(watch.latestMs).toBeGreaterThan(250)
    expect(() => watch.check()).toThrow(/every call ends within 250 ms/)
  })

  test('is broken by many calls that end a little late', async () => {
    const watch = await timed(
      () => lateBy(180),
      () => lateBy(180),
      () => lateBy(180),
    )
    expect(() => watch.check()).toThrow(/within 50 ms/)
  })

  test('does not blame a store for an event loop that was kept from its work', async () => {
    const watch = await timed(async () => {
      await pause(20)
      const busyUntil = performance.now() + 500
      while (performance.now() < busyUntil);
      await pause(20)
    })
    watch.check()
    expect(watch.latestMs).toBeLessThan(50)
  })
})
