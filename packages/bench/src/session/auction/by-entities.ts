import type { AnyEntityType, EntityDb, EntityOf, IdOf } from '@unikv/entity'
import type { Executions } from '../model/benchmark.ts'
import {
  type AuctionCalls,
  isWinning,
  listed,
  losingBid,
  obstacle,
  shortage,
  shown,
  type WithItem,
} from './calls.ts'
import {
  AuctionItemType,
  BidType,
  BuyNowAuctionType,
  BuyNowSaleType,
  SaleItemType,
  sold,
} from './entities.ts'

/** How the items of bids and purchases are read: all by one call, or by a call each, as the paper does. */
export type JoinStyle = 'batch' | 'each'

/** The interactions of Auction by an entity database. */
export function auctionByEntities(joins: JoinStyle = 'batch'): Executions<EntityDb, AuctionCalls> {
  return {
    async SELL_AUCTION_ITEM({ durationMs, ...item }, db, { now }) {
      const created = { ...item, maxBid: item.initialBid, endsAt: now() + durationMs }
      const { itemNo } = await db.create(AuctionItemType, created)
      return { itemNo }
    },
    async SELL_SALE_ITEM(item, db) {
      const { itemNo } = await db.create(SaleItemType, { ...item, quantity: item.offered })
      return { itemNo }
    },
    VIEW_AUCTION_ITEMS_BY_SELLER: async ({ sellerId }, db) =>
      listed(await db.byIndex(AuctionItemType, 'sellerId', sellerId)),
    VIEW_SALE_ITEMS_BY_SELLER: async ({ sellerId }, db) =>
      listed(await db.byIndex(SaleItemType, 'sellerId', sellerId)),
    async VIEW_AUCTION_ITEMS_BY_BUYER({ buyerId }, db) {
      const bought = await db.byIndex(BuyNowAuctionType, 'buyerId', buyerId)
      return listed(await joined(db, bought, AuctionItemType, joins))
    },
    async VIEW_SALE_ITEMS_BY_BUYER({ buyerId }, db) {
      const bought = await db.byIndex(BuyNowSaleType, 'buyerId', buyerId)
      return listed(await joined(db, bought, SaleItemType, joins))
    },
    async VIEW_BIDS_BY_BIDDER({ userId }, db) {
      const bids = await db.byIndex(BidType, 'userId', userId)
      return listed(await joined(db, bids, AuctionItemType, joins))
    },
    async VIEW_WINNING_BIDS_BY_BIDDER({ userId }, db, { now }) {
      const bids = await db.byIndex(BidType, 'userId', userId)
      const items = await joined(db, bids, AuctionItemType, joins)
      return listed(items.filter(({ of, item }) => isWinning(of, item, now())))
    },
    VIEW_AUCTION_ITEM: async (id, db, { now }) => shown(await db.get(AuctionItemType, id), obstacle, now()),
    VIEW_SALE_ITEM: async (id, db) => shown(await db.get(SaleItemType, id), shortage, 0),
    VIEW_AUCTION_BID_HISTORY: async ({ sellerId, itemNo }, db) =>
      listed(await db.byIndex(BidType, ['sellerId', 'itemNo'], [sellerId, itemNo])),
    VIEW_SALE_BUY_NOW_HISTORY: async ({ sellerId, itemNo }, db) =>
      listed(await db.byIndex(BuyNowSaleType, ['sellerId', 'itemNo'], [sellerId, itemNo])),
    ...transactions,
  }
}

const transactions: Pick<
  Executions<EntityDb, AuctionCalls>,
  'STORE_BID' | 'STORE_AUCTION_BUY_NOW' | 'STORE_SALE_BUY_NOW'
> = {
  STORE_BID: ({ sellerId, itemNo, userId, amount }, db, { now }) =>
    db.run(AuctionItemType.group({ sellerId, itemNo }), async (tx) => {
      const item = await tx.get(AuctionItemType, { sellerId, itemNo })
      const mode = obstacle(item, now())
      if (item === undefined || mode !== undefined) return { item, mode }
      if (amount <= item.maxBid) return { item, mode: losingBid }
      const raised = { ...item, maxBid: amount }
      await tx.create(BidType, { sellerId, itemNo, userId, amount, at: now() })
      await tx.update(AuctionItemType, raised)
      return { item: raised }
    }),
  STORE_AUCTION_BUY_NOW: ({ sellerId, itemNo, buyerId }, db, { now }) =>
    db.run(AuctionItemType.group({ sellerId, itemNo }), async (tx) => {
      const item = await tx.get(AuctionItemType, { sellerId, itemNo })
      const mode = obstacle(item, now())
      if (item === undefined || mode !== undefined) return { item, mode }
      const bought = { ...item, maxBid: sold }
      await tx.create(BuyNowAuctionType, { sellerId, itemNo, buyerId, amount: item.buyNow, at: now() })
      await tx.update(AuctionItemType, bought)
      return { item: bought }
    }),
  STORE_SALE_BUY_NOW: ({ sellerId, itemNo, buyerId, quantity }, db, { now }) =>
    db.run(SaleItemType.group({ sellerId, itemNo }), async (tx) => {
      const item = await tx.get(SaleItemType, { sellerId, itemNo })
      const mode = shortage(item, quantity)
      if (item === undefined || mode !== undefined) return { item, mode }
      const left = { ...item, quantity: item.quantity - quantity }
      await tx.create(BuyNowSaleType, { sellerId, itemNo, buyerId, quantity, at: now() })
      await tx.update(SaleItemType, left)
      return { item: left }
    }),
}

/** Bids or purchases with their items, in the same order; those without an item are left out. */
async function joined<E extends AnyEntityType, T extends IdOf<E>>(
  db: EntityDb,
  some: readonly T[],
  type: E,
  joins: JoinStyle,
): Promise<readonly WithItem<T, EntityOf<E>>[]> {
  const items: (EntityOf<E> | undefined)[] = joins === 'batch' ? await db.getMany(type, some) : []
  if (joins === 'each') for (const id of some) items.push(await db.get(type, id))
  return some.flatMap((of, index) => {
    const item = items[index]
    return item === undefined ? [] : [{ of, item }]
  })
}
