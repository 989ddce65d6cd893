import { describe, expect, test } from 'vitest'
import { ReadTimers } from '../src/client/read-timers.ts'

let now = 0
const within = (ms: number): { deadlineAt: number } => ({ deadlineAt: now + ms })
const readTimers = (): ReadTimers => new ReadTimers(() => now)
const many = (timers: ReadTimers, requests: number): readonly number[] =>
  Array.from({ length: requests }, () => timers.next(within(5_000)))

describe('read timers', () => {
  test('are a second or two later than the deadline', () => {
    const timers = readTimers()
    expect([1, 999, 1_000, 4_001].map((ms) => timers.next(within(ms)))).toEqual([2_000, 2_000, 2_000, 6_000])
  })

  test('are none where a timer of Node cannot go', () => {
    const timers = readTimers()
    expect(timers.next({ deadlineAt: Number.POSITIVE_INFINITY })).toBe(0)
    expect(timers.next(within(2 ** 40))).toBe(0)
  })

  test('have the first 16 requests of each moment, and each request of a slow program', () => {
    const timers = readTimers()
    for (let moment = 0; moment < 3; moment++) {
      expect(many(timers, 64)).toEqual([...Array(16).fill(6_000), ...Array(48).fill(0)])
      now += 10
    }
    const slow = Array.from({ length: 50 }, () => {
      now += 1
      return timers.next(within(5_000))
    })
    expect(slow).not.toContain(0)
  })
})
