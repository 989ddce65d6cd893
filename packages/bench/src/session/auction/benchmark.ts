import { type Benchmark, type Executions, interactions } from '../model/benchmark.ts'
import { usersOf } from '../model/declared-numbers.ts'
import type { Transitions } from '../model/transitions.ts'
import { type AuctionCalls, losingBid } from './calls.ts'
import { type AuctionParameters, auctionParameters, checkAuctionParameters } from './parameters.ts'
import { type AuctionState, auctionPlans } from './plans.ts'

/** The benchmark Auction over a data access: users sell, bid and buy, in 15 interactions. */
export function auction<Db>(executions: Executions<Db, AuctionCalls>): Benchmark<Db, AuctionState> {
  return {
    name: 'auction',
    interactions: interactions(auctionPlans, executions),
    parameters: auctionParameters,
    models: auctionModels,
    users: usersOf,
    check: checkAuctionParameters,
    begin: (values) => ({ values: values as unknown as AuctionParameters }),
  }
}

type Weights = Readonly<Record<string, number>>

/** The models of the benchmark's users: the paper's mix, readers, and those who sell, bid and buy more. */
export const auctionModels: Readonly<Record<string, Transitions>> = {
  default: transitions({
    HOME: { SELL_AUCTION_ITEM: 0.2, SELL_SALE_ITEM: 0.1, ...views(0.1) },
    VIEW_AUCTION_ITEMS_BY_SELLER: { VIEW_AUCTION_ITEM: 0.7, HOME: 0.3 },
    VIEW_SALE_ITEMS_BY_SELLER: { VIEW_SALE_ITEM: 0.7, HOME: 0.3 },
    VIEW_AUCTION_ITEM: {
      VIEW_AUCTION_BID_HISTORY: 0.3,
      STORE_BID: 0.3,
      STORE_AUCTION_BUY_NOW: 0.3,
      HOME: 0.1,
    },
    VIEW_SALE_ITEM: { VIEW_SALE_BUY_NOW_HISTORY: 0.4, STORE_SALE_BUY_NOW: 0.4, HOME: 0.2 },
    VIEW_AUCTION_BID_HISTORY: { STORE_BID: 0.4, STORE_AUCTION_BUY_NOW: 0.4, HOME: 0.2 },
    VIEW_SALE_BUY_NOW_HISTORY: { STORE_SALE_BUY_NOW: 0.7, HOME: 0.3 },
    STORE_BID: { VIEW_AUCTION_ITEM: 0.3, HOME: 0.7 },
  }),
  'read-only': transitions({
    HOME: views(0.1),
    VIEW_AUCTION_ITEMS_BY_SELLER: { VIEW_AUCTION_ITEM: 0.7, HOME: 0.3 },
    VIEW_SALE_ITEMS_BY_SELLER: { VIEW_SALE_ITEM: 0.7, HOME: 0.3 },
    VIEW_AUCTION_ITEM: { VIEW_AUCTION_BID_HISTORY: 0.7, HOME: 0.3 },
    VIEW_SALE_ITEM: { VIEW_SALE_BUY_NOW_HISTORY: 0.7, HOME: 0.3 },
  }),
  'write-heavy': transitions({
    HOME: { SELL_AUCTION_ITEM: 0.4, SELL_SALE_ITEM: 0.1, ...views(0.01) },
    VIEW_AUCTION_ITEMS_BY_SELLER: { VIEW_AUCTION_ITEM: 0.95, HOME: 0.05 },
    VIEW_SALE_ITEMS_BY_SELLER: { VIEW_SALE_ITEM: 0.95, HOME: 0.05 },
    VIEW_AUCTION_ITEM: {
      VIEW_AUCTION_BID_HISTORY: 0.3,
      STORE_BID: 0.34,
      STORE_AUCTION_BUY_NOW: 0.34,
      HOME: 0.02,
    },
    VIEW_SALE_ITEM: { VIEW_SALE_BUY_NOW_HISTORY: 0.49, STORE_SALE_BUY_NOW: 0.5, HOME: 0.01 },
    VIEW_AUCTION_BID_HISTORY: { STORE_BID: 0.49, STORE_AUCTION_BUY_NOW: 0.49, HOME: 0.02 },
    VIEW_SALE_BUY_NOW_HISTORY: { STORE_SALE_BUY_NOW: 0.98, HOME: 0.02 },
    STORE_BID: { VIEW_AUCTION_ITEM: 0.3, HOME: 0.7 },
  }),
}

/** Views of what others sell, those of what the user itself has bought and bid, and the end. */
function views(own: number): Weights {
  return {
    VIEW_AUCTION_ITEMS_BY_SELLER: 0.1,
    VIEW_SALE_ITEMS_BY_SELLER: 0.1,
    VIEW_AUCTION_ITEMS_BY_BUYER: own,
    VIEW_SALE_ITEMS_BY_BUYER: own,
    VIEW_BIDS_BY_BIDDER: own,
    VIEW_WINNING_BIDS_BY_BIDDER: own,
    END: own,
  }
}

/** A user goes home after all that has no row, and after results that leave nothing to do. A losing bid is as good as another one. */
function transitions(rows: Readonly<Record<string, Weights>>): Transitions {
  const names = Object.entries(auctionPlans).flatMap(([name, { modes = [] }]) => [
    name,
    ...modes.filter((mode) => mode !== losingBid).map((mode) => `${name}@${mode}`),
  ])
  const own = Object.entries(rows).map(([name, weights]) => {
    return [name, Object.entries(weights).map(([next, weight]) => ({ next, weight }))] as const
  })
  return Object.fromEntries([['START', ['HOME']], ...names.map((name) => [name, ['HOME']]), ...own])
}
