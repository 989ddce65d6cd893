import type { Answer } from '../model/benchmark.ts'
import {
  type AuctionItem,
  type Bid,
  type BuyNowAuction,
  type BuyNowSale,
  type ItemId,
  type SaleItem,
  sold,
} from './rows.ts'

/** Items, bids or purchases that were found. */
export interface Listed<T> extends Answer {
  readonly found: readonly T[]
}

/** An item, if it is there, as it is after the interaction. */
export interface Shown<T> extends Answer {
  readonly item?: T | undefined
}

/** A bid or a purchase with its item. */
export interface WithItem<T, I> {
  readonly of: T
  readonly item: I
}

/** An item on auction to sell. It ends so many milliseconds after the execution. */
export type SellAuctionParams = Omit<AuctionItem, 'itemNo' | 'maxBid' | 'endsAt'> & {
  readonly durationMs: number
}

/** An item on sale to sell. */
export type SellSaleParams = Omit<SaleItem, 'itemNo' | 'quantity'>

/** A bid to make. */
export interface BidParams extends ItemId {
  readonly userId: number
  readonly amount: number
}

/** An item on auction to buy. */
export interface BuyAuctionParams extends ItemId {
  readonly buyerId: number
}

/** Some of an item on sale to buy. */
export interface BuySaleParams extends BuyAuctionParams {
  readonly quantity: number
}

interface Selling<P> {
  readonly params: P
  readonly answer: Answer & { readonly itemNo: number }
}

interface BySeller<T> {
  readonly params: { readonly sellerId: number }
  readonly answer: Listed<T>
}

interface ByBuyer<T> {
  readonly params: { readonly buyerId: number }
  readonly answer: Listed<T>
}

interface OfItem<A extends Answer> {
  readonly params: ItemId
  readonly answer: A
}

interface Storing<P, I> {
  readonly params: P
  readonly answer: Shown<I>
}

/** The 15 interactions of the benchmark Auction. */
export interface AuctionCalls {
  readonly SELL_AUCTION_ITEM: Selling<SellAuctionParams>
  readonly SELL_SALE_ITEM: Selling<SellSaleParams>
  readonly VIEW_AUCTION_ITEMS_BY_SELLER: BySeller<AuctionItem>
  readonly VIEW_SALE_ITEMS_BY_SELLER: BySeller<SaleItem>
  readonly VIEW_AUCTION_ITEMS_BY_BUYER: ByBuyer<WithItem<BuyNowAuction, AuctionItem>>
  readonly VIEW_SALE_ITEMS_BY_BUYER: ByBuyer<WithItem<BuyNowSale, SaleItem>>
  readonly VIEW_BIDS_BY_BIDDER: {
    readonly params: { readonly userId: number }
    readonly answer: Listed<WithItem<Bid, AuctionItem>>
  }
  readonly VIEW_WINNING_BIDS_BY_BIDDER: {
    readonly params: { readonly userId: number }
    readonly answer: Listed<WithItem<Bid, AuctionItem>>
  }
  readonly VIEW_AUCTION_ITEM: OfItem<Shown<AuctionItem>>
  readonly VIEW_SALE_ITEM: OfItem<Shown<SaleItem>>
  readonly VIEW_AUCTION_BID_HISTORY: OfItem<Listed<Bid>>
  readonly VIEW_SALE_BUY_NOW_HISTORY: OfItem<Listed<BuyNowSale>>
  readonly STORE_BID: Storing<BidParams, AuctionItem>
  readonly STORE_AUCTION_BUY_NOW: Storing<BuyAuctionParams, AuctionItem>
  readonly STORE_SALE_BUY_NOW: Storing<BuySaleParams, SaleItem>
}

/** Nothing was found. */
export const emptyResult = 'EMPTY_RESULT'
/** The auction has ended. */
export const auctionExpired = 'AUCTION_EXPIRED'
/** The item was bought. */
export const auctionSold = 'AUCTION_SOLD'
/** Another bid is as high or higher. */
export const losingBid = 'LOSING_BID'
/** There are not that many left. */
export const saleNoQuantity = 'SALE_NO_QTY'

/** Whether a bid has won its auction. */
export function isWinning(
  { amount }: Pick<Bid, 'amount'>,
  { maxBid, endsAt }: AuctionItem,
  now: number,
): boolean {
  return maxBid !== sold && endsAt <= now && amount === maxBid
}

/** Why nothing can be bid or bought: the result mode; `undefined`: it can. */
export function obstacle(item: AuctionItem | undefined, now: number): string | undefined {
  if (item === undefined) return emptyResult
  if (item.maxBid === sold) return auctionSold
  return item.endsAt <= now ? auctionExpired : undefined
}

/** Why so many cannot be bought: the result mode; `undefined`: they can. */
export function shortage(item: SaleItem | undefined, wanted: number): string | undefined {
  if (item === undefined) return emptyResult
  return item.quantity < wanted ? saleNoQuantity : undefined
}

/** An item as it is shown: one that was sold or whose auction has ended is shown, and says so. */
export function shown<I>(
  item: I | undefined,
  modeOf: (item: I | undefined, limit: number) => string | undefined,
  limit: number,
): Shown<I> {
  return { item, mode: modeOf(item, limit) }
}

/** An answer with what was found; its mode tells of nothing. */
export function listed<T>(found: readonly T[]): Listed<T> {
  return { found, mode: found.length === 0 ? emptyResult : undefined }
}
