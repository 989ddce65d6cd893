import type { Answer, Plan, Plans, Visit } from '../model/interaction.ts'
import type { AuctionCalls, Listed, Shown } from './calls.ts'
import { type AuctionItem, type ItemId, type SaleItem, sold } from './entities.ts'
import { auctionGoods, bidFor, quantityFor, saleGoods } from './goods.ts'
import type { AuctionParameters } from './parameters.ts'
import { auctionExpired, auctionSold, emptyResult, losingBid, saleNoQuantity } from './rules.ts'

/** Memory of a session of Auction: the item on auction and the one on sale that its user is interested in. */
export interface AuctionState {
  readonly values: AuctionParameters
  auction: AuctionItem | undefined
  sale: SaleItem | undefined
}

type AuctionVisit = Visit<AuctionState>

/** The plans of the benchmark Auction. */
export const auctionPlans: Plans<AuctionState, AuctionCalls> = {
  SELL_AUCTION_ITEM: { prepare: ({ draw, user, state }) => auctionGoods(draw, state.values, user) },
  SELL_SALE_ITEM: { prepare: ({ draw, user, state }) => saleGoods(draw, state.values, user) },
  VIEW_AUCTION_ITEMS_BY_SELLER: {
    modes: [emptyResult],
    prepare: (visit) => ({ sellerId: anyUser(visit) }),
    complete: ({ draw, state }, { found }) => {
      state.auction = draw.pick(found)
    },
  },
  VIEW_SALE_ITEMS_BY_SELLER: {
    modes: [emptyResult],
    prepare: (visit) => ({ sellerId: anyUser(visit) }),
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

function anyUser({ draw, state: { values } }: AuctionVisit): number {
  return values.MIN_USER_ID + draw.int(0, values.USER_NUM - 1)
}

function idOf(item: ItemId): ItemId
function idOf(item: ItemId | undefined): ItemId | undefined
function idOf(item: ItemId | undefined): ItemId | undefined {
  return item && { sellerId: item.sellerId, itemNo: item.itemNo }
}
