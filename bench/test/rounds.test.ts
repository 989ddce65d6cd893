import { describe, expect, test } from 'vitest'
import { interleaved, medianInterval } from '../measure/rounds.ts'

describe('the interval of a median', () => {
  // Ranks of the sign test, as tables give them for 95 %.
  test.each([
    [15, 4, 12],
    [25, 8, 18],
    [75, 30, 46],
  ])('of %i values goes from the %ith to the %ith', (count, low, high) => {
    const values = Array.from({ length: count }, (_, i) => ((i * 7) % count) + 1)
    expect(medianInterval(values)).toEqual([low, high])
  })
})

describe('rounds', () => {
  const counted = (p50Us: number) => {
    const contestant = {
      name: 'one',
      runs: 0,
      run: async () => (contestant.runs++, { opsPerSecond: 1, p50Us }),
    }
    return contestant
  }

  test('are as many as were asked for, after one that is not counted', async () => {
    const [one, two] = [counted(2), counted(3)]
    const [, own] = await interleaved([one, two], 5)
    expect([one.runs, two.runs, own?.rounds.length, own?.latencyRatio]).toEqual([6, 6, 5, 1.5])
  })
})
