import { expect, test } from 'vitest'
import { levelsAbove } from '../src/adapter/index.ts'
import { memory } from '../src/memory/memory.ts'

test.each([
  [['eventual', 'strong'], 'linearizable', ['eventual', 'strong']],
  [[], 'linearizable', ['strong']],
  [['eventual'], 'linearizable', ['eventual', 'strong']],
  [['eventual'], 'eventual', ['eventual']],
] as const)(
  'above a store with the levels %j and isolation %s the levels are %j',
  (consistency, isolation, levels) => {
    const { capabilities } = memory()
    expect(levelsAbove({ ...capabilities, consistency, isolation })).toEqual(levels)
  },
)
