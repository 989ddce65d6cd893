import type { Draws } from '../model/draws.ts'
import type { SellAuctionParams, SellSaleParams } from './calls.ts'
import type { AuctionItem, SaleItem } from './entities.ts'
import { type AuctionParameters, dayMs } from './parameters.ts'

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
