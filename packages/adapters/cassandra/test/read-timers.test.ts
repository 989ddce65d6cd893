import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ReadTimers } from '../src/read-timers.ts'

const within = (ms: number): { deadlineAt: number } => ({ deadlineAt: performance.now() + ms })
const many = (timers: ReadTimers, requests: number): readonly number[] =>
  Array.from({ length: requests }, () => timers.next(within(5_000)))

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

describe('read timers', () => {
  test('are a second or two later than the deadline', () => {
    const timers = new ReadTimers()
    expect([1, 999, 1_000, 4_001].map((ms) => timers.next(within(ms)))).toEqual([2_000, 2_000, 2_000, 6_000])
  })

  test('are none where a timer of Node cannot go', () => {
    const timers = new ReadTimers()
    expect(timers.next({ deadlineAt: Number.POSITIVE_INFINITY })).toBe(0)
    expect(timers.next(within(2 ** 40))).toBe(0)
  })

  test('have the first 16 requests of each moment, and each request of a slow program', () => {
    const timers = new ReadTimers()
    for (let moment = 0; moment < 3; moment++) {
      expect(many(timers, 64)).toEqual([...Array(16).fill(6_000), ...Array(48).fill(0)])
      vi.advanceTimersByTime(10)
    }
    const slow = Array.from({ length: 50 }, () => {
      vi.advanceTimersByTime(1)
      return timers.next(within(5_000))
    })
    expect(slow).not.toContain(0)
  })
})
