import type { EntityDb } from '@unikv/entity'
import type { Execute, Executions } from '../model/interaction.ts'
import type {
  AuctionCalls,
  BidParams,
  BuyAuctionParams,
  BuySaleParams,
  Listed,
  Shown,
  WithItem,
} from './calls.ts'
import {
  type AuctionItem,
  AuctionItemType,
  type Bid,
  BidType,
  BuyNowAuctionType,
  BuyNowSaleType,
  type ItemId,
  type SaleItem,
  SaleItemType,
  sold,
} from './entities.ts'
import { emptyResult, isWinning, joined, listed, losingBid, obstacle, shortage, shown } from './rules.ts'

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
      return listed(joined(bought, await auctionsOf(db, bought, joins)))
    },
    async VIEW_SALE_ITEMS_BY_BUYER({ buyerId }, db) {
      const bought = await db.byIndex(BuyNowSaleType, 'buyerId', buyerId)
      return listed(joined(bought, await salesOf(db, bought, joins)))
    },
    VIEW_BIDS_BY_BIDDER: async ({ userId }, db) => listed(await bidsBy(db, userId, joins)),
    async VIEW_WINNING_BIDS_BY_BIDDER({ userId }, db, { now }) {
      const bids = await bidsBy(db, userId, joins)
      return listed(bids.filter(({ of, item }) => isWinning(of, item, now())))
    },
    VIEW_AUCTION_ITEM: async (id, db, { now }) => shown(await db.get(AuctionItemType, id), now()),
    async VIEW_SALE_ITEM(id, db) {
      const item = await db.get(SaleItemType, id)
      return { item, mode: item === undefined ? emptyResult : undefined }
    },
    VIEW_AUCTION_BID_HISTORY: async ({ sellerId, itemNo }, db) =>
      listed(await db.byIndex(BidType, ['sellerId', 'itemNo'], [sellerId, itemNo])),
    VIEW_SALE_BUY_NOW_HISTORY: async ({ sellerId, itemNo }, db) =>
      listed(await db.byIndex(BuyNowSaleType, ['sellerId', 'itemNo'], [sellerId, itemNo])),
    STORE_BID: storeBid,
    STORE_AUCTION_BUY_NOW: buyAuction,
    STORE_SALE_BUY_NOW: buySale,
  }
}

const storeBid: Execute<EntityDb, BidParams, Shown<AuctionItem>> = (
  { sellerId, itemNo, userId, amount },
  db,
  { now },
) =>
  db.run(AuctionItemType.group({ sellerId, itemNo }), async (tx) => {
    const item = await tx.get(AuctionItemType, { sellerId, itemNo })
    const mode = obstacle(item, now())
    if (item === undefined || mode !== undefined) return { item, mode }
    if (amount <= item.maxBid) return { item, mode: losingBid }
    const bought = { ...item, maxBid: amount }
    await tx.create(BidType, { sellerId, itemNo, userId, amount, at: now() })
    await tx.update(AuctionItemType, bought)
    return { item: bought }
  })

const buyAuction: Execute<EntityDb, BuyAuctionParams, Shown<AuctionItem>> = (
  { sellerId, itemNo, buyerId },
  db,
  { now },
) =>
  db.run(AuctionItemType.group({ sellerId, itemNo }), async (tx) => {
    const item = await tx.get(AuctionItemType, { sellerId, itemNo })
    const mode = obstacle(item, now())
    if (item === undefined || mode !== undefined) return { item, mode }
    const bought = { ...item, maxBid: sold }
    await tx.create(BuyNowAuctionType, { sellerId, itemNo, buyerId, amount: item.buyNow, at: now() })
    await tx.update(AuctionItemType, bought)
    return { item: bought }
  })

const buySale: Execute<EntityDb, BuySaleParams, Shown<SaleItem>> = (
  { sellerId, itemNo, buyerId, quantity },
  db,
  { now },
) =>
  db.run(SaleItemType.group({ sellerId, itemNo }), async (tx) => {
    const item = await tx.get(SaleItemType, { sellerId, itemNo })
    const mode = shortage(item, quantity)
    if (item === undefined || mode !== undefined) return { item, mode }
    const left = { ...item, quantity: item.quantity - quantity }
    await tx.create(BuyNowSaleType, { sellerId, itemNo, buyerId, quantity, at: now() })
    await tx.update(SaleItemType, left)
    return { item: left }
  })

async function bidsBy(
  db: EntityDb,
  userId: number,
  joins: JoinStyle,
): Promise<Listed<WithItem<Bid, AuctionItem>>['found']> {
  const bids = await db.byIndex(BidType, 'userId', userId)
  return joined(bids, await auctionsOf(db, bids, joins))
}

async function auctionsOf(
  db: EntityDb,
  ids: readonly ItemId[],
  joins: JoinStyle,
): Promise<readonly (AuctionItem | undefined)[]> {
  if (joins === 'batch') return db.getMany(AuctionItemType, ids)
  const items: (AuctionItem | undefined)[] = []
  for (const id of ids) items.push(await db.get(AuctionItemType, id))
  return items
}

async function salesOf(
  db: EntityDb,
  ids: readonly ItemId[],
  joins: JoinStyle,
): Promise<readonly (SaleItem | undefined)[]> {
  if (joins === 'batch') return db.getMany(SaleItemType, ids)
  const items: (SaleItem | undefined)[] = []
  for (const id of ids) items.push(await db.get(SaleItemType, id))
  return items
}
