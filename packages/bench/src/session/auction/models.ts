import type { Transitions, WeightedNext } from '../model/transitions.ts'

type Weights = Readonly<Record<string, number>>

/** Rows of a model that differ from one to the next. */
interface AuctionRows {
  readonly HOME: Weights
  readonly VIEW_AUCTION_ITEMS_BY_SELLER: Weights
  readonly VIEW_SALE_ITEMS_BY_SELLER: Weights
  readonly VIEW_AUCTION_ITEM: Weights
  readonly VIEW_SALE_ITEM: Weights
  readonly VIEW_AUCTION_BID_HISTORY?: Weights
  readonly VIEW_SALE_BUY_NOW_HISTORY: Weights | undefined
  readonly STORE_BID?: Weights
}

/** The models of the benchmark's users: the paper's mix, readers, and those who sell, bid and buy more. */
export const auctionModels: Readonly<Record<string, Transitions>> = {
  default: transitions({
    HOME: {
      SELL_AUCTION_ITEM: 0.2,
      SELL_SALE_ITEM: 0.1,
      VIEW_AUCTION_ITEMS_BY_SELLER: 0.1,
      VIEW_SALE_ITEMS_BY_SELLER: 0.1,
      ...ownViews(0.1),
      END: 0.1,
    },
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
    HOME: {
      VIEW_AUCTION_ITEMS_BY_SELLER: 0.1,
      VIEW_SALE_ITEMS_BY_SELLER: 0.1,
      ...ownViews(0.1),
      END: 0.1,
    },
    VIEW_AUCTION_ITEMS_BY_SELLER: { VIEW_AUCTION_ITEM: 0.7, HOME: 0.3 },
    VIEW_SALE_ITEMS_BY_SELLER: { VIEW_SALE_ITEM: 0.7, HOME: 0.3 },
    VIEW_AUCTION_ITEM: { VIEW_AUCTION_BID_HISTORY: 0.7, HOME: 0.3 },
    VIEW_SALE_ITEM: { VIEW_SALE_BUY_NOW_HISTORY: 0.7, HOME: 0.3 },
    VIEW_SALE_BUY_NOW_HISTORY: undefined,
  }),
  'write-heavy': transitions({
    HOME: {
      SELL_AUCTION_ITEM: 0.4,
      SELL_SALE_ITEM: 0.1,
      VIEW_AUCTION_ITEMS_BY_SELLER: 0.1,
      VIEW_SALE_ITEMS_BY_SELLER: 0.1,
      ...ownViews(0.01),
      END: 0.01,
    },
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

/** Views of what the user itself has bought and bid. */
function ownViews(weight: number): Weights {
  return {
    VIEW_AUCTION_ITEMS_BY_BUYER: weight,
    VIEW_SALE_ITEMS_BY_BUYER: weight,
    VIEW_BIDS_BY_BIDDER: weight,
    VIEW_WINNING_BIDS_BY_BIDDER: weight,
  }
}

/** A user goes home after all that has no row, and after results that leave nothing to do. */
function transitions(rows: AuctionRows): Transitions {
  const own = Object.entries(rows).filter((row): row is [string, Weights] => row[1] !== undefined)
  return {
    START: ['HOME'],
    SELL_AUCTION_ITEM: ['HOME'],
    SELL_SALE_ITEM: ['HOME'],
    ...Object.fromEntries(Object.keys(ownViews(0)).map((name) => [name, ['HOME']])),
    VIEW_AUCTION_BID_HISTORY: ['HOME'],
    VIEW_SALE_BUY_NOW_HISTORY: ['HOME'],
    STORE_BID: ['HOME'],
    STORE_AUCTION_BUY_NOW: ['HOME'],
    STORE_SALE_BUY_NOW: ['HOME'],
    ...Object.fromEntries(own.map(([name, weights]) => [name, nexts(weights)])),
    ...homeAfter('EMPTY_RESULT', [
      'VIEW_AUCTION_ITEMS_BY_SELLER',
      'VIEW_SALE_ITEMS_BY_SELLER',
      ...Object.keys(ownViews(0)),
      'VIEW_AUCTION_ITEM',
      'VIEW_SALE_ITEM',
      'VIEW_AUCTION_BID_HISTORY',
      'VIEW_SALE_BUY_NOW_HISTORY',
      'STORE_BID',
      'STORE_AUCTION_BUY_NOW',
      'STORE_SALE_BUY_NOW',
    ]),
    ...homeAfter('AUCTION_SOLD', ['VIEW_AUCTION_ITEM', 'STORE_BID', 'STORE_AUCTION_BUY_NOW']),
    ...homeAfter('AUCTION_EXPIRED', ['VIEW_AUCTION_ITEM', 'STORE_BID', 'STORE_AUCTION_BUY_NOW']),
    ...homeAfter('SALE_NO_QTY', ['STORE_SALE_BUY_NOW']),
  }
}

function homeAfter(mode: string, names: readonly string[]): Transitions {
  return Object.fromEntries(names.map((name) => [`${name}@${mode}`, ['HOME']]))
}

function nexts(weights: Weights): readonly WeightedNext[] {
  return Object.entries(weights).map(([next, weight]) => ({ next, weight }))
}
