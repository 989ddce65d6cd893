import type { Listed, Shown, WithItem } from './calls.ts'
import { type AuctionItem, type Bid, type SaleItem, sold } from './entities.ts'

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
export function shown(item: AuctionItem | undefined, now: number): Shown<AuctionItem> {
  return { item, mode: obstacle(item, now) }
}

/** An answer with what was found; its mode tells of nothing. */
export function listed<T>(found: readonly T[]): Listed<T> {
  return { found, mode: found.length === 0 ? emptyResult : undefined }
}

/** Bids or purchases with their items, in the same order; those without an item are left out. */
export function joined<T, I>(
  some: readonly T[],
  items: readonly (I | undefined)[],
): readonly WithItem<T, I>[] {
  return some.flatMap((of, index) => {
    const item = items[index]
    return item === undefined ? [] : [{ of, item }]
  })
}
