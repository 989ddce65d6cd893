import { takeTimers } from '@unikv/test-kit/schedules'
import { expect, test } from 'vitest'

test('fire runs the timers of at most that delay, and each once', () => {
  const fired: string[] = []
  const timers = takeTimers()
  try {
    setTimeout(() => fired.push('ten'), 10)
    setTimeout(() => fired.push('twenty'), 20)
    clearTimeout(setTimeout(() => fired.push('cleared'), 10))
    expect(fired).toEqual([])
    timers.fire(10)
    timers.fire(10)
    expect(fired).toEqual(['ten'])
    timers.fire(Infinity)
    expect(fired).toEqual(['ten', 'twenty'])
  } finally {
    timers.restore()
  }
})

test('a timer that a firing one sets waits for the next time', () => {
  const fired: string[] = []
  const timers = takeTimers()
  try {
    setTimeout(() => setTimeout(() => fired.push('second')))
    timers.fire(Infinity)
    expect(fired).toEqual([])
    timers.fire(Infinity)
    expect(fired).toEqual(['second'])
  } finally {
    timers.restore()
  }
})

test('restore puts the global timers back, and what waits does not fire', () => {
  const real = [setTimeout, clearTimeout]
  const fired: string[] = []
  const timers = takeTimers()
  setTimeout(() => fired.push('late'))
  timers.restore()
  expect([setTimeout, clearTimeout]).toEqual(real)
  expect(fired).toEqual([])
})
