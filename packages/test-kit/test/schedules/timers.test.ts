import { clearTimeout, setTimeout } from '@unikv/core/platform'
import { settled, takeTimers, withTimers } from '@unikv/test-kit/schedules'
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
    setTimeout(() => setTimeout(() => fired.push('second'), 0), 0)
    timers.fire(Infinity)
    expect(fired).toEqual([])
    timers.fire(Infinity)
    expect(fired).toEqual(['second'])
  } finally {
    timers.restore()
  }
})

test('restore puts the timers back, and what waits does not fire', () => {
  const fired: string[] = []
  const timers = takeTimers()
  setTimeout(() => fired.push('late'), 0)
  timers.restore()
  clearTimeout(setTimeout(() => fired.push('own'), 0))
  expect(fired).toEqual([])
})

test('withTimers answers what the work answers, and puts the timers back when it fails too', async () => {
  const inside = await withTimers(async (timers) => {
    const fired: string[] = []
    setTimeout(() => fired.push('far'), 60_000)
    timers.fire(Infinity)
    return fired
  })
  expect(inside).toEqual(['far'])
  await expect(withTimers(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  await new Promise<void>((resolve) => void setTimeout(resolve, 0))
})

test('settled lets everything go on that waits for its turn alone', async () => {
  const steps: number[] = []
  void (async () => {
    for (let step = 1; step <= 3; step++) {
      await Promise.resolve()
      steps.push(step)
    }
  })()
  await settled()
  expect(steps).toEqual([1, 2, 3])
})
