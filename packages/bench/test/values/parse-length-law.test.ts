import { describe, expect, test } from 'vitest'
import { parseLengthLaw } from '../../src/values/parse-length-law.ts'

describe('parseLengthLaw', () => {
  test.each([
    ['1K', { kind: 'constant', length: 1_000 }],
    [' 100 ', { kind: 'constant', length: 100 }],
    ['constant:4Ki', { kind: 'constant', length: 4_096 }],
    ['100..1K', { kind: 'uniform', least: 100, most: 1_000 }],
    ['uniform: 100 .. 1K', { kind: 'uniform', least: 100, most: 1_000 }],
    ['zipfian:100..1K', { kind: 'zipfian', least: 100, most: 1_000, theta: 0.99, law: 'ycsb' }],
    ['zipfian:100..1K,0.5', { kind: 'zipfian', least: 100, most: 1_000, theta: 0.5, law: 'ycsb' }],
    ['zipfian:100..1K,1.2', { kind: 'zipfian', least: 100, most: 1_000, theta: 1.2, law: 'exact' }],
    ['lognormal:1K,0.5', { kind: 'lognormal', median: 1_000, sigma: 0.5, most: 1_000_000 }],
    ['lognormal:1K,0.5,10K', { kind: 'lognormal', median: 1_000, sigma: 0.5, most: 10_000 }],
  ])('reads %j', (text, law) => expect(parseLengthLaw(text)).toEqual(law))

  test.each([
    ['1X', "Sizes: '1X' is not a size"],
    ['', "'' is neither a size nor a known law. Write a size such as 1K, or a law: constant:1K, "],
    ['lognorm:1K', "'lognorm' is neither a size nor a known law. Did you mean 'lognormal'?"],
    ['uniform', "'uniform' needs more: write it as in uniform:100..1K."],
    ['histogram:', "A histogram needs a file: write 'histogram:FILE'."],
    ['histogram:/nowhere/at.all', 'The histogram /nowhere/at.all cannot be read.'],
    ['uniform:1K', "'uniform:1K' cannot be read: write it as in uniform:100..1K."],
    ['uniform:1..2..3', 'cannot be read'],
    ['constant:1,2', 'cannot be read: write it as in constant:1K.'],
    ['lognormal:1K', 'cannot be read: write it as in lognormal:1K,0.5.'],
    ['zipfian:1..2,x', 'cannot be read: write it as in zipfian:100..1K,0.99.'],
    ['1K..100', "'1K..100' is not possible: least: must not be above `most`."],
    ['zipfian:1..2,0', 'is not possible: theta: '],
  ])('refuses %j', (text, message) => {
    expect(() => parseLengthLaw(text)).toThrow(message)
    expect(() => parseLengthLaw(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})
