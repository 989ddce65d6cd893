import { afterEach, describe, expect, test, vi } from 'vitest'
import { keyValue } from '../src/index.ts'
import { Deadlines, type Waiting } from '../src/platform/deadlines.ts'
import { Heartbeat } from '../src/platform/heartbeat.ts'
import { slowStore } from './slow-store.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

afterEach(() => vi.useRealTimers())

/** By the globals, as the fake timers of these tests stand there. */
const byGlobals = (): Heartbeat =>
  new Heartbeat({
    now: () => performance.now(),
    setInterval: (run, ms) => setInterval(run, ms),
    clearInterval: (timer) => clearInterval(timer),
  })

test('a blocked event loop makes no false timeout', async () => {
  const { store } = slowStore({ pause: () => pause(1) })
  const kv = keyValue(store, [], { timeoutMs: 100 })
  const waiting = Array.from({ length: 20 }, (_, i) => kv.get(`k${i}`))
  await pause(0)
  const end = performance.now() + 400
  while (performance.now() < end);
  await expect(Promise.all(waiting)).resolves.toHaveLength(20)
})

test('deadlines expire in order, never early, and removed ones never', async () => {
  const deadlines = new Deadlines<Waiting>()
  const expired: string[] = []
  const startedAt = performance.now()
  const wait = (name: string, ms: number): Waiting => {
    const expire = (): void => void expired.push(`${name} ${performance.now() - startedAt >= ms}`)
    const node: Waiting = { expiresAt: 0, place: -1, expire }
    deadlines.add(ms, node)
    return node
  }
  wait('b', 80)
  wait('a', 40)
  deadlines.remove(wait('never', 40))
  const twice = wait('never either', 80)
  deadlines.remove(twice)
  deadlines.remove(twice)
  await pause(250)
  expect(expired).toEqual(['a true', 'b true'])
})

test('a deadline that was set just before a late tick does not expire early', async () => {
  const deadlines = new Deadlines<Waiting>()
  const wait = (ms: number): Promise<number> =>
    new Promise((resolve) => {
      const startedAt = performance.now()
      const expire = (): void => resolve(performance.now() - startedAt)
      deadlines.add(ms, { expiresAt: 0, place: -1, expire })
    })
  // Keeps the ticks running.
  const long = wait(400)
  for (const blockedMs of [12, 18, 24, 40, 60, 90]) {
    await pause(30)
    const blockedUntil = performance.now() + blockedMs
    while (performance.now() < blockedUntil);
    const [short, longer] = await Promise.all([wait(25), wait(45)])
    // Timers of Node count whole milliseconds.
    expect(short).toBeGreaterThan(24)
    expect(longer).toBeGreaterThan(44)
  }
  expect(await long).toBeGreaterThanOrEqual(400)
})

test('a deadline is never early and at most 30 ms late, whenever it was set', () => {
  vi.useFakeTimers()
  const deadlines = new Deadlines<Waiting>(byGlobals())
  const late: number[] = []
  for (let i = 0; i < 100; i++) {
    const dueAt = performance.now() + 100
    const expire = (): void => void late.push(performance.now() - dueAt)
    deadlines.add(100, { expiresAt: 0, place: -1, expire })
    vi.advanceTimersByTime(1)
  }
  vi.advanceTimersByTime(150)
  expect(late).toHaveLength(100)
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...late)).toBeLessThanOrEqual(30)
})

test('no timer keeps running when nothing waits', () => {
  vi.useFakeTimers()
  const deadlines = new Deadlines<Waiting>(byGlobals())
  let expired = 0
  deadlines.add(30, { expiresAt: 0, place: -1, expire: () => void expired++ })
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(100)
  expect(expired).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})

describe('time in which the process did not run', () => {
  /** A process whose clock and beats go as the test says. */
  function process(): { beats: Heartbeat; run: (ms: number) => void; block: (ms: number) => void } {
    let now = 1_000
    let beat = (): void => {}
    const beats = new Heartbeat({
      now: () => now,
      setInterval: (run) => {
        beat = run
        return { unref: () => {} } as NodeJS.Timeout
      },
      clearInterval: () => {},
    })
    const block = (ms: number): void => {
      now += ms
      beat()
    }
    const run = (ms: number): void => {
      for (let left = ms; left > 0; left -= 10) block(10)
    }
    return { beats, run, block }
  }

  test('counts against no deadline, however often a call has to wait', () => {
    const { beats, run, block } = process()
    const deadlines = new Deadlines<Waiting>(beats)
    let expired = false
    deadlines.add(100, { expiresAt: 0, place: -1, expire: () => void (expired = true) })
    run(50)
    block(2_000)
    run(30)
    expect(expired).toBe(false)
    run(50)
    expect(expired).toBe(true)
    expect(beats.lostMs).toBe(1_990)
  })

  test('is told to those who ask before the next beat', () => {
    let now = 0
    const timer = { unref: () => {} } as NodeJS.Timeout
    const beats = new Heartbeat({ now: () => now, setInterval: () => timer, clearInterval: () => {} })
    beats.join({ beat: () => {} })
    now += 500
    expect(beats.now()).toBe(500)
    expect(beats.lostMs).toBe(490)
  })

  test('counts in part where one block follows the other, so that deadlines come all the same', () => {
    const { beats, block } = process()
    const deadlines = new Deadlines<Waiting>(beats)
    let expired = false
    deadlines.add(500, { expiresAt: 0, place: -1, expire: () => void (expired = true) })
    for (let i = 0; i < 20; i++) block(200)
    expect(expired).toBe(true)
  })
})
