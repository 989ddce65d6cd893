import { describe, expect, test } from 'vitest'
import { judge } from '../../src/history/linearizable.ts'
import type { HistoryOperation } from '../../src/history/operation.ts'
import { plantedBugs } from './planted-bugs.ts'
import { CorrectRegister, simulate } from './simulation.ts'

const read = (calledAt: number, returnedAt: number, found: string | undefined): HistoryOperation => ({
  type: 'read',
  key: 'k',
  calledAt,
  returnedAt,
  found,
})
const set = (
  calledAt: number,
  returnedAt: number,
  token: string | undefined,
  more: Partial<Extract<HistoryOperation, { type: 'write' }>> = {},
): HistoryOperation => ({ type: 'write', key: 'k', calledAt, returnedAt, token, result: 'applied', ...more })

describe('small histories', () => {
  test.each<[string, boolean, readonly HistoryOperation[]]>([
    ['nothing at all', true, []],
    ['a read of an absent key', true, [read(0, 1, undefined)]],
    ['a read of what was written', true, [set(0, 1, 'a'), read(2, 3, 'a')]],
    ['a read of what nobody wrote', false, [set(0, 1, 'a'), read(2, 3, 'b')]],
    ['a read after a write that does not see it', false, [set(0, 1, 'a'), read(2, 3, undefined)]],
    ['a read beside a write may see either', true, [set(0, 5, 'a'), read(1, 2, undefined), read(3, 4, 'a')]],
    [
      'two reads beside a write may not go back',
      false,
      [set(0, 9, 'a'), read(1, 2, 'a'), read(3, 4, undefined)],
    ],
    [
      'an unknown write may be seen at any later time',
      true,
      [set(0, Infinity, 'a', { result: 'unknown' }), read(1, 2, undefined), read(3, 4, 'a')],
    ],
    [
      'an unknown write may be seen never',
      true,
      [set(0, Infinity, 'a', { result: 'unknown' }), read(1, 2, undefined)],
    ],
    [
      'an unknown write does not come and go',
      false,
      [set(0, Infinity, 'a', { result: 'unknown' }), read(1, 2, 'a'), read(3, 4, undefined)],
    ],
    [
      'of two creates both apply',
      false,
      [set(0, 3, 'a', { ifToken: null }), set(1, 2, 'b', { ifToken: null })],
    ],
    [
      'of two creates one is refused',
      true,
      [set(0, 3, 'a', { ifToken: null }), set(1, 2, 'b', { ifToken: null, result: 'refused', found: 'a' })],
    ],
    [
      'a refusal that found something else',
      false,
      [set(0, 1, 'a'), set(2, 3, 'b', { ifToken: null, result: 'refused', found: 'c' })],
    ],
  ])('%s', (_, linearizable, history) => {
    expect(judge(history).linearizable).toBe(linearizable)
  })

  test('the operation that nothing explains is named', () => {
    const wrong = read(4, 5, 'a')
    const judgement = judge([set(0, 1, 'a'), set(2, 3, 'b'), wrong])
    expect(judgement).toMatchObject({ linearizable: false, key: 'k', stuckAt: wrong })
  })
})

test('a correct register is linearizable, whatever the schedule', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const judgement = judge(simulate(new CorrectRegister(), seed))
    expect(judgement, `seed ${seed}`).toMatchObject({ linearizable: true })
  }
})

describe('planted bugs', () => {
  test('are twenty and more', () => expect(Object.keys(plantedBugs).length).toBeGreaterThanOrEqual(20))

  test.each(Object.entries(plantedBugs))('%s', (_, store) => {
    const seeds = Array.from({ length: 20 }, (_unused, i) => i + 1)
    const caught = seeds.filter((seed) => !judge(simulate(store(), seed)).linearizable)
    expect(caught.length).toBeGreaterThan(0)
  })
})
