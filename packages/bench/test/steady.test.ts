import { describe, expect, test } from 'vitest'
import { isPrecise, isSteady } from '../src/statistics/steady.ts'

describe('isSteady', () => {
  test('waits until the last windows neither rise nor fall', () => {
    const warming = [100, 400, 700, 850, 930, 970, 985, 995, 1_000, 1_002]
    const first = warming.findIndex((_, i) => isSteady(warming.slice(0, i + 1)))
    expect(first).toBe(9)
    expect(isSteady([10, 9, 8, 7, 6])).toBe(false)
    expect(isSteady([1_000, 990, 1_010, 995, 1_005])).toBe(true)
  })

  test('needs enough windows and something that happens in them', () => {
    expect(isSteady([5, 5, 5, 5])).toBe(false)
    expect(isSteady([5, 5, 5], { windows: 3 })).toBe(true)
    expect(isSteady([0, 0, 0, 0, 0])).toBe(false)
    expect(isSteady([1, 1, 1, 1, Number.NaN])).toBe(false)
  })

  test('refuses windows through which every line fits', () => {
    expect(() => isSteady([1, 2], { windows: 2 })).toThrow(RangeError)
    expect(() => isSteady([1, 2], { window: 3 } as object)).toThrow('`windows`')
  })
})

describe('isPrecise', () => {
  test('needs three runs and an interval that is narrow enough', () => {
    expect(isPrecise([100, 100], 0.02)).toBe(false)
    expect(isPrecise([100, 100, 100], 0.02)).toBe(true)
    expect(isPrecise([100, 101, 99], 0.02)).toBe(false) // ± 2.48
    expect(isPrecise([100, 101, 99], 0.025)).toBe(true)
    expect(() => isPrecise([1, 1, 1], 0)).toThrow(RangeError)
  })
})
