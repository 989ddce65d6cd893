import { describe, expect, test } from 'vitest'
import { auction, auctionModels } from '../../src/session/auction/benchmark.ts'
import { auctionByEntities } from '../../src/session/auction/by-entities.ts'
import { micro, microModels } from '../../src/session/micro/benchmark.ts'
import { microByEntities } from '../../src/session/micro/by-entities.ts'
import { checkedModel, type ModelContext, type SessionModel } from '../../src/session/model/session-model.ts'

const context: ModelContext = {
  interactions: { LIST: { modes: ['EMPTY_RESULT'] }, GET: {} },
  parameters: { USER: undefined, LENGTH: 100 },
}
const parameters = { USER: 1 }
const right: SessionModel = {
  transitions: {
    START: ['HOME'],
    HOME: [{ next: 'LIST', weight: 3 }, { next: 'GET', prob: 1 }, 'END'],
    LIST: ['HOME'],
    'LIST@EMPTY_RESULT': ['HOME'],
    GET: ['HOME'],
  },
  parameters,
}
const withRows = (rows: object): SessionModel => ({
  ...right,
  transitions: { ...right.transitions, ...rows },
})

test('weights are normalized by the sum of their row', () => {
  expect(checkedModel(right, context).rows.get('HOME')).toEqual({
    names: ['LIST', 'GET', 'END'],
    shares: [0.6, 0.2, 0.2],
  })
})

test('a model is plain data: it is the same after JSON', () => {
  for (const transitions of [...Object.values(auctionModels), ...Object.values(microModels)])
    expect(JSON.parse(JSON.stringify(transitions))).toEqual(transitions)
})

describe('a wrong row', () => {
  const cases: readonly (readonly [title: string, rows: object, told: string])[] = [
    [
      'with an unknown target',
      { LIST: ['HOEM'] },
      'LIST leads to HOEM, which has neither transitions nor an interaction. Did you mean HOME?',
    ],
    [
      'with an interaction that nothing follows',
      { HOME: ['LIST', 'GET', 'END'], GET: undefined },
      "GET has no transitions. Say what follows it, such as GET: ['END'].",
    ],
    [
      'with weights that sum to nothing',
      { HOME: [{ next: 'LIST', weight: 0 }] },
      'The weights after HOME sum to 0. Give at least one state a weight above 0.',
    ],
    [
      'without states',
      { HOME: [] },
      'The weights after HOME sum to 0. Give at least one state a weight above 0.',
    ],
    [
      'with a negative weight',
      { HOME: [{ next: 'LIST', weight: -1 }, 'END'] },
      'The weight of LIST after HOME must be a number of 0 or more, got -1.',
    ],
    [
      'with an endless weight',
      { HOME: [{ next: 'LIST', weight: Infinity }] },
      'The weight of LIST after HOME must be a number of 0 or more, got Infinity.',
    ],
    [
      'with two weights',
      { HOME: [{ next: 'LIST', weight: 1, prob: 1 }] },
      'The transition from HOME to LIST has `weight` and `prob`, which are the same. Give one of them.',
    ],
    [
      'with a misspelled weight',
      { HOME: [{ next: 'LIST', wieght: 1 }] },
      'Unknown option `wieght` of transitions of HOME(). Did you mean `weight`?',
    ],
    [
      'of an unknown mode',
      { 'LIST@EMPTY_RESULTS': ['HOME'] },
      'LIST@EMPTY_RESULTS has transitions, but LIST has no result mode EMPTY_RESULTS. Did you mean EMPTY_RESULT?',
    ],
    [
      'of a mode of a state without an interaction',
      { 'HOME@EMPTY_RESULT': ['LIST'] },
      'HOME@EMPTY_RESULT has transitions, but HOME is not an interaction, and only those have result modes.',
    ],
    [
      'that leads to the row of a mode',
      { GET: ['LIST@EMPTY_RESULT'] },
      'GET leads to LIST@EMPTY_RESULT, but the row of a result mode is not a state. Lead to LIST.',
    ],
    [
      'after the end',
      { END: ['HOME'] },
      'END has transitions, but a session is over at END. Remove the row.',
    ],
    [
      'that is stuck',
      { GET: ['TRAP'], TRAP: ['GET'] },
      'A session at GET cannot reach END. Let a state there lead to END, or limit sessions by maxCount or maxTimeMs.',
    ],
    [
      'that goes around idly',
      { GET: ['IDLE'], IDLE: ['IDLE'] },
      'A session at IDLE goes around without an interaction for ever. Let one of the states there lead to an interaction or to END.',
    ],
    [
      'that begins with the end',
      { START: ['END'] },
      'No interaction can be reached from START. A session would do nothing.',
    ],
    ['that is not a list', { GET: 'HOME' }, 'The transitions of GET must be a list of states.'],
  ]
  test.each(cases)('%s is told in one sentence', (_, rows, told) => {
    const model = withRows(rows)
    const transitions = Object.fromEntries(
      Object.entries(model.transitions).filter(([, row]) => row !== undefined),
    )
    expect(() => checkedModel({ ...model, transitions }, context)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: told }),
    )
  })

  test('at the start is missed', () => {
    expect(() => checkedModel({ transitions: { HOME: ['LIST'] }, parameters }, context)).toThrow(
      /have no START/,
    )
  })
})

test('sessions that are limited may be stuck, and those that never end are known', () => {
  const stuck = withRows({ GET: ['GET'] })
  expect(() => checkedModel(stuck, context)).toThrow(/cannot reach END/)
  expect(checkedModel({ ...stuck, limits: { maxCount: 5 } }, context).ends).toBe(true)
  expect(checkedModel({ ...stuck, limits: { maxTimeMs: 5 } }, context).ends).toBe(true)
  expect(checkedModel(withRows({ HOME: ['GET'] }), context).ends).toBe(false)
  expect(checkedModel(right, context).ends).toBe(true)
})

describe('wrong settings', () => {
  const cases: readonly (readonly [title: string, settings: object, told: RegExp])[] = [
    ['a missing parameter', { parameters: {} }, /^The parameter USER is missing\. Give it a value\.$/],
    [
      'an unknown parameter',
      { parameters: { USER: 1, LENGHT: 5 } },
      /no parameter LENGHT\. Did you mean LENGTH\?/,
    ],
    [
      'a parameter of another type',
      { parameters: { USER: 1, LENGTH: 'long' } },
      /LENGTH must be a number, got a string/,
    ],
    [
      'a range upside down',
      { parameters: { USER: { random: 'int', min: 5, max: 1 } } },
      /min of USER \(5\) is above its max \(1\)/,
    ],
    [
      'a fraction as a bound',
      { parameters: { USER: { random: 'int', min: 0.5, max: 1 } } },
      /min of USER must be a whole number/,
    ],
    [
      'an unknown law',
      { parameters: { USER: { random: 'float', min: 0, max: 1 } } },
      /random of USER must be 'int' or 'double'/,
    ],
    [
      'think times of nothing',
      { think: { interactions: { HOME: { before: { ms: 1 } } } } },
      /think times for HOME, which is not an interaction/,
    ],
    [
      'a maximum below the mean',
      { think: { before: { avgMs: 5, maxMs: 5 } } },
      /maxMs of think\.before \(5\) must be above its avgMs \(5\)/,
    ],
    [
      'a limit that is not a number',
      { limits: { maxCount: Number.NaN } },
      /maxCount of a session must be a number/,
    ],
    [
      'limits that contradict each other',
      { limits: { minTimeMs: 10, maxTimeMs: 5 } },
      /minTimeMs of a session \(10\) is above its maxTimeMs \(5\)/,
    ],
    ['a ratio of users above 1', { users: { newRatio: 2 } }, /newRatio of users must be from 0 to 1/],
    ['an unknown setting', { limit: {} }, /Did you mean `limits`\?/],
  ]
  test.each(cases)('%s are refused', (_, settings, told) => {
    expect(() => checkedModel({ ...right, ...settings }, context)).toThrow(told)
  })

  test('an interaction cannot be called START', () => {
    expect(() => checkedModel(right, { interactions: { START: {} } })).toThrow(/cannot have the name START/)
  })

  test('an update of more items than a set has is refused', () => {
    const model = { transitions: microModels['shared-put']!, parameters: { NUM_UPDATE_ITEMS: 4 } }
    expect(() => checkedModel(model, micro(microByEntities))).toThrow(
      /NUM_UPDATE_ITEMS \(4\) is above ITEMS_PER_SET \(1\), so UPDATE_SHARED would find too few items/,
    )
  })
})

test('every model that comes with a benchmark is right', () => {
  for (const transitions of Object.values(auctionModels))
    expect(checkedModel({ transitions }, auction(auctionByEntities())).ends).toBe(true)
  for (const transitions of Object.values(microModels))
    expect(checkedModel({ transitions }, micro(microByEntities)).ends).toBe(false)
  expect(Object.keys(micro(microByEntities).interactions)).toHaveLength(19)
  expect(Object.keys(auction(auctionByEntities()).interactions)).toHaveLength(15)
})
