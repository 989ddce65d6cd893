import { mulberry32 } from '@unikv/test-kit'
import { expect, test } from 'vitest'
import { Adwin } from '../src/learn/adwin.ts'

/** Index of the first change that is told in values drawn with these chances, each for 2,000 values. */
function detection(seed: number, ...chances: readonly number[]): number | undefined {
  const random = mulberry32(seed)
  const adwin = new Adwin()
  for (const [part, chance] of chances.entries())
    for (let i = 0; i < 2_000; i += 1) if (adwin.add(random() < chance ? 1 : 0)) return 2_000 * part + i
  return undefined
}

test.each([
  [0.8, 2010, 2080],
  [0.5, 2015, 2240],
  [0.3, 2150, 3300],
])('a change from 0.2 to %f is told within its band', (to, least, most) => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const at = detection(seed, 0.2, to)
    expect(at).toBeGreaterThanOrEqual(least)
    expect(at).toBeLessThanOrEqual(most)
  }
})

test('a thousand zeros, then ones', () => {
  const adwin = new Adwin()
  let at = 0
  while (!adwin.add(at < 1_000 ? 0 : 1)) at += 1
  expect(at).toBeGreaterThanOrEqual(1005)
  expect(at).toBeLessThanOrEqual(1055)
})

test('without a change next to nothing is told, and the window is long', () => {
  let alarms = 0
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = mulberry32(seed)
    const adwin = new Adwin()
    for (let i = 0; i < 10_000; i += 1) if (adwin.add(random() < 0.3 ? 1 : 0)) alarms += 1
    expect(adwin.mean).toBeCloseTo(0.3, 1)
  }
  expect(alarms).toBeLessThanOrEqual(2)
})
