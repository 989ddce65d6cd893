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
import { type AuctionTypes, groupedAuction } from './entities.ts'
import { sold } from './rows.ts'

/** How the items of bids and purchases are read: all by one call, or by a call each, as the paper does. */
export type JoinStyle = 'batch' | 'each'

/** The interactions of Auction by an entity database. */
export function auctionByEntities(joins: JoinStyle = 'batch'): Executions<EntityDb, AuctionCalls> {
  return auctionBy(groupedAuction, joins)
}

/** The interactions by an entity database of these types. */
export function auctionBy(types: AuctionTypes, joins: JoinStyle): Executions<EntityDb, AuctionCalls> {
  const { AuctionItem, Bid, BuyNowAuction, SaleItem, BuyNowSale } = types
  return {
    async SELL_AUCTION_ITEM({ durationMs, ...item }, db, { now }) {
      const created = { ...item, maxBid: item.initialBid, endsAt: now() + durationMs }
      const { itemNo } = await db.create(AuctionItem, created)
      return { itemNo }
    },
    async SELL_SALE_ITEM(item, db) {
      const { itemNo } = await db.create(SaleItem, { ...item, quantity: item.offered })
      return { itemNo }
    },
    VIEW_AUCTION_ITEMS_BY_SELLER: async ({ sellerId }, db) =>
      listed(await db.byIndex(AuctionItem, 'sellerId', sellerId)),
    VIEW_SALE_ITEMS_BY_SELLER: async ({ sellerId }, db) =>
      listed(await db.byIndex(SaleItem, 'sellerId', sellerId)),
    async VIEW_AUCTION_ITEMS_BY_BUYER({ buyerId }, db) {
      const bought = await db.byIndex(BuyNowAuction, 'buyerId', buyerId)
      return listed(await joined(db, bought, AuctionItem, joins))
    },
    async VIEW_SALE_ITEMS_BY_BUYER({ buyerId }, db) {
      const bought = await db.byIndex(BuyNowSale, 'buyerId', buyerId)
      return listed(await joined(db, bought, SaleItem, joins))
    },
    async VIEW_BIDS_BY_BIDDER({ userId }, db) {
      const bids = await db.byIndex(Bid, 'userId', userId)
      return listed(await joined(db, bids, AuctionItem, joins))
    },
    async VIEW_WINNING_BIDS_BY_BIDDER({ userId }, db, { now }) {
      const bids = await db.byIndex(Bid, 'userId', userId)
      const items = await joined(db, bids, AuctionItem, joins)
      return listed(items.filter(({ of, item }) => isWinning(of, item, now())))
    },
    VIEW_AUCTION_ITEM: async (id, db, { now }) => shown(await db.get(AuctionItem, id), obstacle, now()),
    VIEW_SALE_ITEM: async (id, db) => shown(await db.get(SaleItem, id), shortage, 0),
    VIEW_AUCTION_BID_HISTORY: async ({ sellerId, itemNo }, db) =>
      listed(await db.byIndex(Bid, ['sellerId', 'itemNo'], [sellerId, itemNo])),
    VIEW_SALE_BUY_NOW_HISTORY: async ({ sellerId, itemNo }, db) =>
      listed(await db.byIndex(BuyNowSale, ['sellerId', 'itemNo'], [sellerId, itemNo])),
    ...storing(types),
  }
}

type Storing = Pick<
  Executions<EntityDb, AuctionCalls>,
  'STORE_BID' | 'STORE_AUCTION_BUY_NOW' | 'STORE_SALE_BUY_NOW'
>

function storing({ AuctionItem, Bid, BuyNowAuction, SaleItem, BuyNowSale, on }: AuctionTypes): Storing {
  return {
    STORE_BID: ({ sellerId, itemNo, userId, amount }, db, { now }) =>
      db.run(on({ sellerId, itemNo }, AuctionItem), async (tx) => {
        const item = await tx.get(AuctionItem, { sellerId, itemNo })
        const mode = obstacle(item, now())
        if (item === undefined || mode !== undefined) return { item, mode }
        if (amount <= item.maxBid) return { item, mode: losingBid }
        const raised = { ...item, maxBid: amount }
        await tx.create(Bid, { sellerId, itemNo, userId, amount, at: now() })
        await tx.update(AuctionItem, raised)
        return { item: raised }
      }),
    STORE_AUCTION_BUY_NOW: ({ sellerId, itemNo, buyerId }, db, { now }) =>
      db.run(on({ sellerId, itemNo }, AuctionItem, BuyNowAuction), async (tx) => {
        const item = await tx.get(AuctionItem, { sellerId, itemNo })
        const mode = obstacle(item, now())
        if (item === undefined || mode !== undefined) return { item, mode }
        const bought = { ...item, maxBid: sold }
        await tx.create(BuyNowAuction, { sellerId, itemNo, buyerId, amount: item.buyNow, at: now() })
        await tx.update(AuctionItem, bought)
        return { item: bought }
      }),
    STORE_SALE_BUY_NOW: ({ sellerId, itemNo, buyerId, quantity }, db, { now }) =>
      db.run(on({ sellerId, itemNo }, SaleItem), async (tx) => {
        const item = await tx.get(SaleItem, { sellerId, itemNo })
        const mode = shortage(item, quantity)
        if (item === undefined || mode !== undefined) return { item, mode }
        const left = { ...item, quantity: item.quantity - quantity }
        await tx.create(BuyNowSale, { sellerId, itemNo, buyerId, quantity, at: now() })
        await tx.update(SaleItem, left)
        return { item: left }
      }),
  }
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
