import { expect, test } from 'vitest'
import { AnyLevel, callOptions, levelsAbove } from '../src/adapter/index.ts'
import type { CallOptions } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'

test('a call of any level has the deadline and signal of its call, and no level', () => {
  const { signal } = new AbortController()
  const call: CallOptions = callOptions({ deadlineAt: 5, signal, consistency: 'strong' })
  const other = new AnyLevel(call)
  expect([other.deadlineAt, other.signal, other.consistency]).toEqual([5, signal, undefined])
})

test('what is noted on a call and on the same call of any level is noted on both', () => {
  const call = callOptions()
  const other: CallOptions = new AnyLevel(call)
  expect([other.sent, other.settled]).toEqual([false, false])
  other.sent = true
  call.settled = true
  expect([call.sent, other.sent, other.settled]).toEqual([true, true, true])
})

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
