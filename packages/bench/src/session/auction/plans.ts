import type { Answer, Plan, Plans, Visit } from '../model/benchmark.ts'
import { anyUser } from '../model/declared-numbers.ts'
import type { Draws } from '../model/draws.ts'
import {
  type AuctionCalls,
  auctionExpired,
  auctionSold,
  emptyResult,
  type Listed,
  losingBid,
  type SellAuctionParams,
  type SellSaleParams,
  type Shown,
  saleNoQuantity,
} from './calls.ts'
import type { AuctionParameters } from './parameters.ts'
import { type AuctionItem, type ItemId, type SaleItem, sold } from './rows.ts'

/** Memory of a session of Auction: the item on auction and the one on sale that its user is interested in. */
export interface AuctionState {
  readonly values: AuctionParameters
  auction?: AuctionItem | undefined
  sale?: SaleItem | undefined
}

type AuctionVisit = Visit<AuctionState>

/** The plans of the benchmark Auction. */
export const auctionPlans: Plans<AuctionState, AuctionCalls> = {
  SELL_AUCTION_ITEM: { prepare: ({ draw, user, state }) => auctionGoods(draw, state.values, user) },
  SELL_SALE_ITEM: { prepare: ({ draw, user, state }) => saleGoods(draw, state.values, user) },
  VIEW_AUCTION_ITEMS_BY_SELLER: {
    modes: [emptyResult],
    prepare: (visit) => ({ sellerId: anyUser(visit.state.values, visit.draw) }),
    complete: ({ draw, state }, { found }) => {
      state.auction = draw.pick(found)
    },
  },
  VIEW_SALE_ITEMS_BY_SELLER: {
    modes: [emptyResult],
    prepare: (visit) => ({ sellerId: anyUser(visit.state.values, visit.draw) }),
    complete: ({ draw, state }, { found }) => {
      state.sale = draw.pick(found)
    },
  },
  VIEW_AUCTION_ITEMS_BY_BUYER: { modes: [emptyResult], prepare: ({ user }) => ({ buyerId: user }) },
  VIEW_SALE_ITEMS_BY_BUYER: { modes: [emptyResult], prepare: ({ user }) => ({ buyerId: user }) },
  VIEW_BIDS_BY_BIDDER: { modes: [emptyResult], prepare: ({ user }) => ({ userId: user }) },
  VIEW_WINNING_BIDS_BY_BIDDER: { modes: [emptyResult], prepare: ({ user }) => ({ userId: user }) },
  VIEW_AUCTION_ITEM: {
    modes: [emptyResult, auctionSold, auctionExpired],
    prepare: ({ state }) => idOf(state.auction),
    complete: seesAuction,
  },
  VIEW_SALE_ITEM: { modes: [emptyResult], prepare: ({ state }) => idOf(state.sale), complete: seesSale },
  VIEW_AUCTION_BID_HISTORY: views('auction'),
  VIEW_SALE_BUY_NOW_HISTORY: views('sale'),
  STORE_BID: {
    modes: [emptyResult, auctionSold, auctionExpired, losingBid],
    prepare: ({ state: { auction }, draw, user }) =>
      auction && auction.maxBid !== sold
        ? { ...idOf(auction), userId: user, amount: bidFor(draw, auction) }
        : undefined,
    complete: seesAuction,
  },
  STORE_AUCTION_BUY_NOW: {
    modes: [emptyResult, auctionSold, auctionExpired],
    prepare: ({ state: { auction }, user }) => auction && { ...idOf(auction), buyerId: user },
    complete: seesAuction,
  },
  STORE_SALE_BUY_NOW: {
    modes: [emptyResult, saleNoQuantity],
    prepare: ({ state: { sale }, draw, user }) =>
      sale && { ...idOf(sale), buyerId: user, quantity: quantityFor(draw, sale) },
    complete: seesSale,
  },
}

function views<T>(kind: 'auction' | 'sale'): Plan<AuctionState, ItemId, Listed<T>> {
  return { modes: [emptyResult], prepare: ({ state }) => idOf(state[kind]) }
}

function seesAuction({ state }: AuctionVisit, { item }: Answer & Shown<AuctionItem>): void {
  state.auction = item
}

function seesSale({ state }: AuctionVisit, { item }: Answer & Shown<SaleItem>): void {
  state.sale = item
}

function idOf(item: ItemId): ItemId
function idOf(item: ItemId | undefined): ItemId | undefined
function idOf(item: ItemId | undefined): ItemId | undefined {
  return item && { sellerId: item.sellerId, itemNo: item.itemNo }
}

/** Milliseconds of a day. */
export const dayMs = 86_400_000

/** An item that a user puts up for auction. */
export function auctionGoods(draw: Draws, values: AuctionParameters, sellerId: number): SellAuctionParams {
  const initialBid = cents(draw.double(values.MIN_INITIAL_BID, values.MAX_INITIAL_BID))
  const factor = draw.double(values.MIN_BUY_NOW_FACTOR, values.MAX_BUY_NOW_FACTOR)
  const days = draw.double(values.MIN_DURATION_DAYS, values.MAX_DURATION_DAYS)
  return {
    sellerId,
    name: draw.text(values.NAME_LENGTH),
    initialBid,
    buyNow: Math.round(initialBid * factor),
    durationMs: Math.round(days * dayMs),
  }
}

/** An item that a user puts on sale. */
export function saleGoods(draw: Draws, values: AuctionParameters, sellerId: number): SellSaleParams {
  return {
    sellerId,
    name: draw.text(values.NAME_LENGTH),
    price: cents(draw.double(values.MIN_SALE_PRICE, values.MAX_SALE_PRICE)),
    offered: draw.int(values.MIN_SALE_QUANTITY, values.MAX_SALE_QUANTITY),
  }
}

/** A bid by a user who knows the item: up to half of the way from the highest bid to the price. */
export function bidFor(draw: Draws, { maxBid, buyNow }: Pick<AuctionItem, 'maxBid' | 'buyNow'>): number {
  return Math.round(draw.double(maxBid, maxBid + Math.max(0, buyNow - maxBid) / 2))
}

/** How many a user buys of an item on sale. */
export function quantityFor(draw: Draws, { quantity }: Pick<SaleItem, 'quantity'>): number {
  return draw.int(1, Math.max(1, Math.floor(quantity / 5)))
}

function cents(amount: number): number {
  return Math.round(amount * 100)
}
