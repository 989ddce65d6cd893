import { isStoreError } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/loop/clock.ts'
import { auction } from '../../src/session/auction/benchmark.ts'
import { auctionByEntities } from '../../src/session/auction/by-entities.ts'
import { micro } from '../../src/session/micro/benchmark.ts'
import { microByEntities } from '../../src/session/micro/by-entities.ts'
import { type Benchmark, interaction } from '../../src/session/model/benchmark.ts'
import type { Parameters } from '../../src/session/model/parameters.ts'
import { checkedModel, type ModelContext, type SessionModel } from '../../src/session/model/session-model.ts'
import { type Population, populate } from '../../src/session/run/populate.ts'
import { runSessions } from '../../src/session/run/run-sessions.ts'
import { sessionWorkload } from '../../src/session/run/session-workload.ts'
import { expectedVisits, simulate } from './chain.ts'

const context: ModelContext = { interactions: { A: { modes: ['LOST'] } }, users: () => ({ count: 20 }) }
const right: SessionModel = { transitions: { START: ['A'], A: ['END'] } }
const checked = (settings: object) => checkedModel({ ...right, ...settings }, context)

const benchmark: Benchmark<unknown, object> = {
  name: 'test',
  interactions: {
    A: interaction<unknown, object, object, object>({ prepare: () => ({}), execute: async () => ({}) }),
  },
  models: {},
  begin: () => ({}),
}
const run = (options: object) =>
  runSessions({
    benchmark,
    model: right,
    db: {},
    clock: new VirtualClock(),
    mostSessions: 6,
    ...options,
  })

const wrongs = [null, Number.NaN, 'false', 'x', [], () => {}, Symbol('s'), 10n, new Map(), Infinity]

/** Each place of a model, with a value that stands there. */
const places: Readonly<Record<string, (value: unknown) => object>> = {
  transitions: (value) => ({ transitions: value }),
  row: (value) => ({ transitions: { START: value, A: ['END'] } }),
  next: (value) => ({ transitions: { START: [value], A: ['END'] } }),
  limits: (value) => ({ limits: value }),
  minTimeMs: (value) => ({ limits: { minTimeMs: value } }),
  think: (value) => ({ think: value }),
  before: (value) => ({ think: { before: value } }),
  ms: (value) => ({ think: { before: { ms: value } } }),
  maxMs: (value) => ({ think: { before: { avgMs: 1, maxMs: value } } }),
  'think.interactions': (value) => ({ think: { interactions: value } }),
  'think.interactions.A': (value) => ({ think: { interactions: { A: value } } }),
  parameters: (value) => ({ parameters: value }),
  min: (value) => ({ parameters: { P: { random: 'double', min: value, max: 9 } } }),
  'partition of a parameter': (value) => ({
    parameters: { P: { random: 'int', min: 0, max: 9, partition: value } },
  }),
  users: (value) => ({ users: value }),
  count: (value) => ({ users: { count: value } }),
  newRatio: (value) => ({ users: { newRatio: value } }),
  'partition of users': (value) => ({ users: { partition: value } }),
}

describe('plain JavaScript', () => {
  test.each(Object.entries(places))('is refused in %s by an error of its own', (_, settings) => {
    for (const value of wrongs) {
      let caught: unknown
      try {
        checked(settings(value))
      } catch (error) {
        caught = error
      }
      expect(isStoreError(caught) && caught.code).toBe('INVALID_CONFIG')
    }
  })

  test('may say `undefined` for what it leaves out, without hiding a default', () => {
    expect(checked({ users: { count: undefined, newRatio: 0.5 } }).users).toEqual({
      first: 1,
      count: 20,
      newRatio: 0.5,
      partition: false,
    })
    const think = {
      before: { ms: 5 },
      after: { ms: 7 },
      interactions: { A: { before: { ms: 1 }, after: undefined } },
    }
    expect(
      simulate({ ...right, transitions: { START: ['A'], A: ['A', 'END'] }, think }, context, { sessions: 1 }),
    ).toMatchObject({ thinkMs: expect.any(Number) })
    const twice: SessionModel = { transitions: { START: ['A'], A: ['A'] }, think, limits: { maxCount: 2 } }
    expect(simulate(twice, context, { sessions: 1 }).thinkMs).toBe(1 + 7 + 1)
    const unset = { avgMs: 1, maxMs: 2, ms: undefined }
    expect(
      simulate({ ...right, think: { before: unset } }, context, { sessions: 9 }).thinkMs,
    ).toBeGreaterThan(0)
  })

  test('cannot have users whose numbers are not exact', () => {
    const users = { first: Number.MAX_SAFE_INTEGER, count: 2 }
    expect(() => checked({ users })).toThrow('of users give numbers that are not exact')
  })

  test('cannot name a parameter __proto__, whose value would be lost', () => {
    const parameters = JSON.parse('{"__proto__":5}')
    expect(() => checked({ parameters })).toThrow('A parameter cannot have the name __proto__')
  })

  test('may name states as what every object has', () => {
    const names = ['constructor', 'toString', '__proto__']
    const interactions = Object.fromEntries(names.map((name) => [name, {}]))
    const rows = [...names.map((name, at) => [name, [names[at + 1] ?? 'END']]), ['START', [names[0]]]]
    const model: SessionModel = { transitions: Object.fromEntries(rows), think: { interactions: {} } }
    expect(expectedVisits(model, { interactions }).interactions).toBe(3)
    expect(simulate(model, { interactions }, { sessions: 5 }).interactions).toBe(15)
  })

  const ranges = [
    { random: 'int', min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
    { random: 'double', min: -Number.MAX_VALUE, max: Number.MAX_VALUE },
  ]
  test.each(ranges)('cannot ask for more numbers than can be drawn: %j', (P) => {
    expect(() => checked({ parameters: { P } })).toThrow(/P has more numbers .* than can be drawn/)
  })
})

describe('weights', () => {
  const slow = (weight: number): SessionModel => ({
    transitions: { START: ['H'], H: [{ next: 'H' }, { next: 'A', weight }], A: ['END'] },
  })

  test('that hold a session for ever between two interactions end it with an error', () => {
    const told = /passed by 1,000,000 states without an interaction, the last one H/
    expect(() => simulate(slow(1e-300), context, { sessions: 1 })).toThrow(told)
    const restarts: SessionModel = {
      transitions: { START: ['END', { next: 'A', weight: 1e-300 }], A: ['END'] },
      limits: { minTimeMs: 5 },
    }
    expect(() => simulate(restarts, context, { sessions: 1 })).toThrow(
      /without an interaction, the last one END/,
    )
  })

  test.each([1e-9, 1e-13, 1e-17, 1e-300])('of %d give expected visits with all digits', (weight) => {
    const { visits } = expectedVisits(slow(weight), context)
    expect((visits['H'] as number) * weight).toBeCloseTo(1 + weight, 12)
    expect(visits['A']).toBeCloseTo(1, 12)
    expect(visits['START']).toBeCloseTo(1, 12)
  })

  test('that sum to Infinity are told as such', () => {
    const huge = { next: 'A', weight: Number.MAX_VALUE }
    expect(() => checked({ transitions: { START: [huge, huge], A: ['END'] } })).toThrow(
      'The weights after START sum to Infinity. Give smaller ones.',
    )
  })
})

test('expected visits are those of simulated sessions, for models with loops through START and result modes', () => {
  const transitions = {
    START: ['H'],
    H: ['A', 'START', { next: 'END', weight: 0.5 }],
    A: ['H'],
    'A@LOST': ['A', { next: 'H', weight: 2 }],
  }
  const modes = { A: { LOST: 0.4, UNKNOWN_ERROR: 0.1 } }
  const sessions = 40_000
  const expected = expectedVisits({ transitions }, context, modes).visits
  const found = simulate({ transitions }, context, { sessions, modes, seed: 3 }).visits
  expect(Object.keys(found).toSorted()).toEqual([...Object.keys(expected), 'END'].toSorted())
  for (const [name, count] of Object.entries(expected))
    expect((found[name] as number) / sessions / count).toBeCloseTo(1, 1)
})

describe('a run', () => {
  const cases: readonly (readonly [options: object, told: string])[] = [
    [{ mostSessions: 0 }, 'mostSessions of runSessions() must be a whole number of at least 1, got 0.'],
    [
      { mostSessions: Number.NaN },
      'mostSessions of runSessions() must be a whole number of at least 1, got NaN.',
    ],
    [{ operations: 1.5 }, 'operations of runSessions() must be a whole number of at least 0, got 1.5.'],
    [{ seed: Number.NaN }, 'seed of runSessions() must be a whole number of at least 0, got NaN.'],
    [{ share: { index: 5, of: 3 } }, 'share of runSessions() must be { index, of }'],
    [{ share: 2 }, 'share of runSessions() must be { index, of }'],
    [{ mostSessions: Infinity, durationMs: Infinity }, 'Nothing ends this run.'],
    [{ mostSessions: Infinity, operations: Infinity }, 'Nothing ends this run.'],
    [{ model: undefined }, 'The model is missing.'],
    [{ benchmark: undefined }, 'A benchmark must be an object with interactions, got undefined.'],
    [{ benchmark: { ...benchmark, begin: 5 } }, 'begin of the benchmark must be a function, got a number.'],
    [
      { benchmark: { ...benchmark, interactions: { A: null } } },
      'The interaction A must be an object, got null.',
    ],
    [
      { benchmark: { ...benchmark, interactions: { A: { prepare: () => 1 } } } },
      'execute of the interaction A must be a function, got undefined.',
    ],
    [
      { benchmark: { ...benchmark, interactions: { A: { ...benchmark.interactions['A'], modes: 'LOST' } } } },
      'The modes of A must be a list of names.',
    ],
  ]
  test.each(cases)('with %o is refused', async (options, told) => {
    await expect(run(options)).rejects.toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    await expect(run(options)).rejects.toThrow(told)
  })

  test.each([
    [6, 6],
    [1, 7],
    [2, 100],
  ])(
    'of %d places in three processes has as many sessions and operations as one',
    async (sessions, count) => {
      const shares = [0, 1, 2].map((index) => ({ index, of: 3 }))
      const runs = await Promise.all(shares.map((share) => run({ sessions, share, mostSessions: count })))
      expect(runs.reduce((sum, { sessions: { begun } }) => sum + begun, 0)).toBe(count)
      const endless = { transitions: { START: ['A'], A: ['A'] } }
      const options = { sessions, mostSessions: undefined, operations: count, model: endless }
      const parts = await Promise.all(shares.map((share) => run({ ...options, share })))
      expect(parts.reduce((sum, { sample }) => sum + sample.operations, 0)).toBe(count)
    },
  )
})

test('a workload of sessions that hardly ever act has weights', () => {
  const transitions = { START: [{ next: 'END', weight: 1e9 }, 'A'], A: ['END'] }
  const { operations } = sessionWorkload({ benchmark, model: { transitions }, open: () => ({}) })
  expect(operations?.['A']).toMatchObject({ weight: 0.01 })
})

test('a workload of sessions refuses what a run would', () => {
  const options = { benchmark, model: right, open: () => ({}) }
  expect(() => sessionWorkload({ ...options, sessions: 0 })).toThrow(
    'sessions of sessionWorkload() must be a whole number of at least 1, got 0.',
  )
  expect(() =>
    sessionWorkload({ ...options, benchmark: { ...benchmark, interactions: { A: {} } } as never }),
  ).toThrow('prepare of the interaction A must be a function, got undefined.')
})

describe('a population', () => {
  const pieces = (parts: object = {}): Population<number[]> => ({
    name: 'pieces',
    first: 1,
    count: 3,
    fill: async (db, number) => void db.push(number),
    ...parts,
  })

  test('of few pieces may have any number of callers', async () => {
    const db: number[] = []
    await populate(db, [pieces()], { callers: Number.MAX_SAFE_INTEGER })
    expect(db.toSorted((a, b) => a - b)).toEqual([1, 2, 3])
    await populate(db, [pieces({ count: 0 })])
    expect(db).toHaveLength(3)
  })

  const cases: readonly (readonly [parts: object, options: object, told: string])[] = [
    [{ count: -1 }, {}, 'count of pieces of populate() must be a whole number of at least 0, got -1.'],
    [
      { first: Number.NaN },
      {},
      'first of pieces of populate() must be a whole number of at least 0, got NaN.',
    ],
    [{}, { check: 'no' }, 'check of populate() must be true or false; got a string.'],
    [{}, { seed: -1 }, 'seed of populate() must be a whole number of at least 0, got -1.'],
    [{}, { share: { index: 1, of: 1 } }, 'share of populate() must be { index, of }'],
  ]
  test.each(cases)('of %j with %j is refused', async (parts, options, told) => {
    const db: number[] = []
    await expect(populate(db, [pieces(parts)], options)).rejects.toThrow(told)
    expect(db).toEqual([])
  })
})

describe('parameters of benchmarks', () => {
  const auctions = auction(auctionByEntities())
  const micros = micro(microByEntities)
  const of = (benchmark: ModelContext, name: string, parameters: object) => () =>
    checkedModel(
      { transitions: { START: [name], [name]: ['END'] }, parameters: parameters as Parameters },
      benchmark,
    )
  const drawn = (random: string, min: number, max: number) => ({ random, min, max })
  const wrong: readonly (readonly [benchmark: ModelContext, parameters: object, told: string])[] = [
    [auctions, { NAME_LENGTH: 1e15 }, 'NAME_LENGTH must be at most 1,000,000, got 1000000000000000.'],
    [auctions, { MAX_SALE_QUANTITY: 1e300 }, 'MAX_SALE_QUANTITY must be at most 1,000,000,000'],
    [
      auctions,
      { MAX_INITIAL_BID: 1e300 },
      'MAX_INITIAL_BID must be a number from 0 to 1,000,000,000, got 1e+300.',
    ],
    [auctions, { MIN_INITIAL_BID: -1 }, 'MIN_INITIAL_BID must be a number from 0 to 1,000,000,000, got -1.'],
    [auctions, { MIN_INITIAL_BID: 501 }, 'MIN_INITIAL_BID (501) must be at most MAX_INITIAL_BID (500).'],
    [
      auctions,
      { MIN_USER_ID: drawn('double', 1, 2) },
      "MIN_USER_ID must be a whole number: draw it by `random: 'int'`.",
    ],
    [
      auctions,
      { NAME_LENGTH: drawn('int', -5, 5) },
      'NAME_LENGTH must be a whole number of at least 0, got -5.',
    ],
    [
      auctions,
      { MIN_SALE_PRICE: drawn('int', 5, 2_000) },
      'MIN_SALE_PRICE (2000) must be at most MAX_SALE_PRICE (1000).',
    ],
    [micros, { CONTENT_LENGTH: 1e15 }, 'CONTENT_LENGTH must be at most 10,000,000'],
    [micros, { ITEMS_PER_USER: 1e12 }, 'ITEMS_PER_USER must be at most 1,000,000'],
    [micros, { CONTENT_LENGTH: drawn('double', 1, 5) }, 'CONTENT_LENGTH must be a whole number'],
    [micros, { NUM_UPDATE_ITEMS: drawn('int', 1, 4) }, 'NUM_UPDATE_ITEMS (4) is above ITEMS_PER_USER (1)'],
  ]
  test.each(wrong)('are refused: %#', (benchmark, parameters, told) => {
    const name = benchmark === micros ? 'UPDATE_ITEM' : 'SELL_AUCTION_ITEM'
    expect(of(benchmark, name, parameters)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    expect(of(benchmark, name, parameters)).toThrow(told)
  })

  test('may be drawn within their bounds', () => {
    expect(of(auctions, 'SELL_AUCTION_ITEM', { NAME_LENGTH: drawn('int', 1, 9) })).not.toThrow()
    const few = { NUM_UPDATE_ITEMS: drawn('int', 1, 4), ITEMS_PER_USER: 4 }
    expect(of(micros, 'UPDATE_ITEM', few)).not.toThrow()
  })
})
