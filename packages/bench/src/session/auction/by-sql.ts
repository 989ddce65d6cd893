import type { Executions } from '../model/benchmark.ts'
import type { SqlDb } from '../sql/sql-db.ts'
import { type AuctionCalls, listed, losingBid, obstacle, shortage, shown } from './calls.ts'
import { sold } from './entities.ts'
import { auctionTable, itemOf, joined, ofItem, rowsOf } from './tables.ts'

/** The interactions of Auction by SQL: bids and purchases are joined with their items. */
export const auctionBySql: Executions<SqlDb, AuctionCalls> = {
  async SELL_AUCTION_ITEM({ durationMs, ...item }, db, { now }) {
    const created = { ...item, maxBid: item.initialBid, endsAt: now() + durationMs }
    return { itemNo: await db.insert(auctionTable('AuctionItem'), created) }
  },
  async SELL_SALE_ITEM(item, db) {
    return { itemNo: await db.insert(auctionTable('SaleItem'), { ...item, quantity: item.offered }) }
  },
  VIEW_AUCTION_ITEMS_BY_SELLER: async ({ sellerId }, db) =>
    listed(await rowsOf(db, 'AuctionItem', '"sellerId" = ?', [sellerId])),
  VIEW_SALE_ITEMS_BY_SELLER: async ({ sellerId }, db) =>
    listed(await rowsOf(db, 'SaleItem', '"sellerId" = ?', [sellerId])),
  VIEW_AUCTION_ITEMS_BY_BUYER: async ({ buyerId }, db) =>
    listed(await joined(db, 'BuyNowAuction', 'AuctionItem', 'o."buyerId" = ?', [buyerId])),
  VIEW_SALE_ITEMS_BY_BUYER: async ({ buyerId }, db) =>
    listed(await joined(db, 'BuyNowSale', 'SaleItem', 'o."buyerId" = ?', [buyerId])),
  VIEW_BIDS_BY_BIDDER: async ({ userId }, db) =>
    listed(await joined(db, 'Bid', 'AuctionItem', 'o."userId" = ?', [userId])),
  async VIEW_WINNING_BIDS_BY_BIDDER({ userId }, db, { now }) {
    const won = 'o."userId" = ? AND i."maxBid" <> ? AND i."endsAt" <= ? AND o."amount" = i."maxBid"'
    return listed(await joined(db, 'Bid', 'AuctionItem', won, [userId, sold, now()]))
  },
  VIEW_AUCTION_ITEM: async (id, db, { now }) => shown(await itemOf(db, 'AuctionItem', id), obstacle, now()),
  VIEW_SALE_ITEM: async (id, db) => shown(await itemOf(db, 'SaleItem', id), shortage, 0),
  VIEW_AUCTION_BID_HISTORY: async ({ sellerId, itemNo }, db) =>
    listed(await rowsOf(db, 'Bid', `${ofItem} ORDER BY "bidNo"`, [sellerId, itemNo])),
  VIEW_SALE_BUY_NOW_HISTORY: async ({ sellerId, itemNo }, db) =>
    listed(await rowsOf(db, 'BuyNowSale', `${ofItem} ORDER BY "saleNo"`, [sellerId, itemNo])),
  STORE_BID: ({ sellerId, itemNo, userId, amount }, db, { now }) =>
    db.run(async (sql) => {
      const item = await itemOf(sql, 'AuctionItem', { sellerId, itemNo }, 'FOR UPDATE')
      const mode = obstacle(item, now())
      if (item === undefined || mode !== undefined) return { item, mode }
      if (amount <= item.maxBid) return { item, mode: losingBid }
      await sql.insert(auctionTable('Bid'), { sellerId, itemNo, userId, amount, at: now() })
      await sql.change(`UPDATE {AuctionItem} SET "maxBid" = ? WHERE ${ofItem}`, [amount, sellerId, itemNo])
      return { item: { ...item, maxBid: amount } }
    }),
  STORE_AUCTION_BUY_NOW: ({ sellerId, itemNo, buyerId }, db, { now }) =>
    db.run(async (sql) => {
      const item = await itemOf(sql, 'AuctionItem', { sellerId, itemNo }, 'FOR UPDATE')
      const mode = obstacle(item, now())
      if (item === undefined || mode !== undefined) return { item, mode }
      const purchase = { sellerId, itemNo, buyerId, amount: item.buyNow, at: now() }
      await sql.insert(auctionTable('BuyNowAuction'), purchase)
      await sql.change(`UPDATE {AuctionItem} SET "maxBid" = ? WHERE ${ofItem}`, [sold, sellerId, itemNo])
      return { item: { ...item, maxBid: sold } }
    }),
  STORE_SALE_BUY_NOW: ({ sellerId, itemNo, buyerId, quantity }, db, { now }) =>
    db.run(async (sql) => {
      const item = await itemOf(sql, 'SaleItem', { sellerId, itemNo }, 'FOR UPDATE')
      const mode = shortage(item, quantity)
      if (item === undefined || mode !== undefined) return { item, mode }
      const left = item.quantity - quantity
      await sql.insert(auctionTable('BuyNowSale'), { sellerId, itemNo, buyerId, quantity, at: now() })
      await sql.change(`UPDATE {SaleItem} SET "quantity" = ? WHERE ${ofItem}`, [left, sellerId, itemNo])
      return { item: { ...item, quantity: left } }
    }),
}
