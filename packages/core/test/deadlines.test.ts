import { afterEach, expect, test, vi } from 'vitest'
import { Deadlines, type Waiting } from '../src/deadlines.ts'
import { keyValue } from '../src/index.ts'
import { silentStore, slowStore } from './slow-store.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

afterEach(() => vi.useRealTimers())

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
  const deadlines = new Deadlines<Waiting>()
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

test('no timer keeps running when nothing waits', async () => {
  // Counts all timers that are made from here on, and none of the test runner.
  vi.useFakeTimers()
  const kv = keyValue(silentStore(), [], { timeoutMs: 30 })
  const refused = expect(kv.get('a')).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(100)
  await refused
  expect(vi.getTimerCount()).toBe(0)
})
