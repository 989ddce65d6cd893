import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Stopwatch } from '../src/network/settling.ts'

async function timed(...calls: readonly (() => Promise<unknown>)[]): Promise<Stopwatch> {
  const watch = new Stopwatch()
  for (const call of calls) await watch.time(50, call).catch(() => {})
  return watch
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
      () => pause(400),
    )
    expect(watch.latestMs).toBeGreaterThan(250)
    expect(() => watch.check()).toThrow(/every call ends within 250 ms/)
  })

  test('is broken by many calls that end a little late', async () => {
    const watch = await timed(
      () => pause(180),
      () => pause(180),
      () => pause(180),
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
