import { describe, expect, test } from 'vitest'
import { fastRandom } from '../../src/random/random.ts'
import { auction, auctionModels } from '../../src/session/auction/benchmark.ts'
import { auctionByEntities } from '../../src/session/auction/by-entities.ts'
import { micro, microModels } from '../../src/session/micro/benchmark.ts'
import { microByEntities } from '../../src/session/micro/by-entities.ts'
import { Draws } from '../../src/session/model/draws.ts'
import type { ModelContext } from '../../src/session/model/session-model.ts'
import type { ThinkTime } from '../../src/session/model/think-time.ts'
import { expectedVisits, meanMs, simulate } from './chain.ts'

const auctions = auction(auctionByEntities())
const micros = micro(microByEntities)
const model = (name: string) => ({ transitions: auctionModels[name]! })
const visits = (name: string) => expectedVisits(model(name), auctions)

const defaultShares = {
  SELL_AUCTION_ITEM: 0.16434,
  SELL_SALE_ITEM: 0.08217,
  VIEW_AUCTION_ITEMS_BY_SELLER: 0.08217,
  VIEW_SALE_ITEMS_BY_SELLER: 0.08217,
  VIEW_AUCTION_ITEMS_BY_BUYER: 0.08217,
  VIEW_SALE_ITEMS_BY_BUYER: 0.08217,
  VIEW_BIDS_BY_BIDDER: 0.08217,
  VIEW_WINNING_BIDS_BY_BIDDER: 0.08217,
  VIEW_AUCTION_ITEM: 0.06581,
  VIEW_SALE_ITEM: 0.05752,
  STORE_SALE_BUY_NOW: 0.03911,
  STORE_BID: 0.02764,
  STORE_AUCTION_BUY_NOW: 0.02764,
  VIEW_SALE_BUY_NOW_HISTORY: 0.02301,
  VIEW_AUCTION_BID_HISTORY: 0.01974,
}

describe('expected visits', () => {
  test('of the auction are those of the paper’s mix', () => {
    const found = visits('default')
    expect(found.visits['HOME']).toBeCloseTo(10, 10)
    expect(found.interactions).toBeCloseTo(12.17, 4)
    expect(Object.keys(found.shares).toSorted()).toEqual(Object.keys(defaultShares).toSorted())
    for (const [name, share] of Object.entries(defaultShares))
      expect(found.shares[name]).toBeCloseTo(share, 5)
  })

  test('of readers and of writers take weights for what they are, not for probabilities', () => {
    const readers = visits('read-only')
    expect(readers.visits['HOME']).toBeCloseTo(7, 10)
    expect(readers.interactions).toBeCloseTo(8.38, 4)
    for (const name of ['VIEW_AUCTION_ITEMS_BY_SELLER', 'VIEW_SALE_ITEMS_BY_SELLER', 'VIEW_BIDS_BY_BIDDER'])
      expect(readers.shares[name]).toBeCloseTo(0.11933, 5)
    const writers = visits('write-heavy')
    expect(writers.visits['HOME']).toBeCloseTo(75, 9)
    expect(writers.interactions).toBeCloseTo(122.7661, 4)
    expect(writers.shares['SELL_AUCTION_ITEM']).toBeCloseTo(0.32582, 5)
    expect(writers.shares['VIEW_AUCTION_ITEM']).toBeCloseTo(0.09062, 5)
  })

  test('follow the rows of result modes by their shares', () => {
    const context: ModelContext = { interactions: { LIST: { modes: ['EMPTY'] }, GET: {} } }
    const transitions = { START: ['LIST'], LIST: ['GET'], 'LIST@EMPTY': ['LIST'], GET: ['END'] }
    const found = expectedVisits({ transitions }, context, { LIST: { EMPTY: 0.75 } })
    expect(found.visits['LIST']).toBeCloseTo(4, 10)
    expect(found.visits['GET']).toBeCloseTo(1, 10)
  })
})

describe('100,000 simulated sessions', () => {
  test.each(['default', 'read-only'])('of the model %s agree with the solution', (name) => {
    const sessions = 100_000
    const found = simulate(model(name), auctions, { sessions, seed: 7 })
    const expected = visits(name)
    const homes = expected.visits['HOME']!
    for (const [state, mean] of Object.entries(expected.visits)) {
      if (state === 'START') continue
      // HOME is visited a geometric number of times, and the others are thinned out of it.
      const variance = state === 'HOME' ? homes * (homes - 1) : mean + mean * mean * (1 - 1 / homes)
      const z = (found.visits[state]! - sessions * mean) / Math.sqrt(sessions * variance)
      expect(Math.abs(z), state).toBeLessThan(4)
    }
    expect(found.visits['START']).toBe(sessions)
    expect(found.visits['END']).toBe(sessions)
  })

  test('of weights that are not even differ from those of even ones', () => {
    const wrong = {
      ...auctionModels['default']!,
      HOME: auctionModels['default']!['HOME']!.map((next) => (next as { next: string }).next),
    }
    const found = simulate({ transitions: wrong }, auctions, { sessions: 10_000 })
    expect(Math.abs(found.interactions / 10_000 - 12.17)).toBeGreaterThan(0.5)
  })

  test('draw the same ways for the same seed', () => {
    const run = (seed: number) => simulate(model('default'), auctions, { sessions: 200, seed })
    expect(run(3)).toEqual(run(3))
    expect(run(3).visits).not.toEqual(run(4).visits)
  })
})

describe('limits', () => {
  test('a session has at most maxCount interactions', () => {
    const found = simulate({ ...model('write-heavy'), limits: { maxCount: 10 } }, auctions, {
      sessions: 2_000,
    })
    expect(found.mostInteractions).toBe(10)
    const endless = { transitions: microModels['item-put']!, limits: { maxCount: 3 } }
    expect(simulate(endless, micros, { sessions: 50 }).interactions).toBe(150)
  })

  test('no interaction begins after maxTimeMs, and END before minTimeMs leads to START', () => {
    const transitions = { START: ['A'], A: ['END'] }
    const context = { interactions: { A: {} } }
    const think = { after: { ms: 10 } }
    const limited = { transitions: { START: ['A'], A: ['A'] }, think, limits: { maxTimeMs: 100 } }
    expect(simulate(limited, context, { sessions: 1 }).interactions).toBe(10)
    const lengthened = simulate(
      { transitions, think: { before: { ms: 10 } }, limits: { minTimeMs: 95 } },
      context,
      { sessions: 4 },
    )
    expect(lengthened.interactions).toBe(40)
    expect(lengthened.visits['START']).toBe(40)
    const off = { transitions, think, limits: { maxCount: 0, maxTimeMs: -1, minTimeMs: -5 } }
    expect(simulate(off, context, { sessions: 4 }).interactions).toBe(4)
  })
})

describe('think times', () => {
  const mean = (time: ThinkTime): number => {
    const think = { before: time }
    const transitions = { START: ['A'], A: ['END'] }
    const sessions = 200_000
    return (
      simulate({ transitions, think }, { interactions: { A: {} } }, { sessions, seed: 11 }).thinkMs / sessions
    )
  }

  test('that are exponential are cut at their maximum, which lowers their mean', () => {
    const [short, long] = [
      { avgMs: 3, maxMs: 10 },
      { avgMs: 4, maxMs: 40 },
    ]
    expect(meanMs(short)).toBeCloseTo(2.89298, 5)
    expect(meanMs(long)).toBeCloseTo(3.99982, 5)
    // Four standard errors.
    expect(Math.abs(mean(short) - 2.89298)).toBeLessThan((4 * 3) / Math.sqrt(200_000))
    expect(Math.abs(mean(long) - 3.99982)).toBeLessThan((4 * 4) / Math.sqrt(200_000))
  })

  test('of one interaction stand in the place of those of all', () => {
    const transitions = { START: ['A'], A: ['B'], B: ['END'] }
    const think = { before: { ms: 1 }, after: { ms: 10 }, interactions: { B: { before: { ms: 100 } } } }
    const context = { interactions: { A: {}, B: {} } }
    expect(simulate({ transitions, think }, context, { sessions: 1 }).thinkMs).toBe(1 + 10 + 100)
  })
})

describe('draws', () => {
  test('are distinct where they must be, and each choice is as likely', () => {
    const draw = new Draws(fastRandom(5))
    const counts = new Map<number, number>()
    for (let round = 0; round < 20_000; round++) {
      const drawn = draw.distinct(4, 10, 8)
      expect(new Set(drawn).size).toBe(4)
      for (const number of drawn) counts.set(number, (counts.get(number) ?? 0) + 1)
    }
    expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual([10, 11, 12, 13, 14, 15, 16, 17])
    // Each is drawn in half of the rounds: within four standard errors.
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(4 * Math.sqrt(5_000))
    expect(new Draws(fastRandom(1)).distinct(3, 1, 3).toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  })
})
