import type { Execute, Executions } from '../model/interaction.ts'
import type { Sql, SqlDb, SqlRow } from '../sql/sql-db.ts'
import type { AuctionCalls, BidParams, BuyAuctionParams, BuySaleParams, Shown, WithItem } from './calls.ts'
import {
  type AuctionItem,
  type Bid,
  type BuyNowAuction,
  type BuyNowSale,
  type ItemId,
  type SaleItem,
  sold,
} from './entities.ts'
import { emptyResult, listed, losingBid, obstacle, shortage, shown } from './rules.ts'
import { auctionTable } from './tables.ts'

const ofItem = '"sellerId" = ? AND "itemNo" = ?'

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
    listed(await db.rows<AuctionItem>('SELECT * FROM {AuctionItem} WHERE "sellerId" = ?', [sellerId])),
  VIEW_SALE_ITEMS_BY_SELLER: async ({ sellerId }, db) =>
    listed(await db.rows<SaleItem>('SELECT * FROM {SaleItem} WHERE "sellerId" = ?', [sellerId])),
  VIEW_AUCTION_ITEMS_BY_BUYER: async ({ buyerId }, db) =>
    listed(
      await joined<BuyNowAuction, AuctionItem>(db, 'BuyNowAuction', 'AuctionItem', 'o."buyerId" = ?', [
        buyerId,
      ]),
    ),
  VIEW_SALE_ITEMS_BY_BUYER: async ({ buyerId }, db) =>
    listed(await joined<BuyNowSale, SaleItem>(db, 'BuyNowSale', 'SaleItem', 'o."buyerId" = ?', [buyerId])),
  VIEW_BIDS_BY_BIDDER: async ({ userId }, db) =>
    listed(await joined<Bid, AuctionItem>(db, 'Bid', 'AuctionItem', 'o."userId" = ?', [userId])),
  async VIEW_WINNING_BIDS_BY_BIDDER({ userId }, db, { now }) {
    const won = 'o."userId" = ? AND i."maxBid" <> ? AND i."endsAt" <= ? AND o."amount" = i."maxBid"'
    return listed(await joined<Bid, AuctionItem>(db, 'Bid', 'AuctionItem', won, [userId, sold, now()]))
  },
  VIEW_AUCTION_ITEM: async (id, db, { now }) =>
    shown(await itemOf<AuctionItem>(db, 'AuctionItem', id), now()),
  async VIEW_SALE_ITEM(id, db) {
    const item = await itemOf<SaleItem>(db, 'SaleItem', id)
    return { item, mode: item === undefined ? emptyResult : undefined }
  },
  VIEW_AUCTION_BID_HISTORY: async ({ sellerId, itemNo }, db) =>
    listed(await db.rows<Bid>(`SELECT * FROM {Bid} WHERE ${ofItem} ORDER BY "bidNo"`, [sellerId, itemNo])),
  VIEW_SALE_BUY_NOW_HISTORY: async ({ sellerId, itemNo }, db) =>
    listed(
      await db.rows<BuyNowSale>(`SELECT * FROM {BuyNowSale} WHERE ${ofItem} ORDER BY "saleNo"`, [
        sellerId,
        itemNo,
      ]),
    ),
  STORE_BID: storeBid,
  STORE_AUCTION_BUY_NOW: buyAuction,
  STORE_SALE_BUY_NOW: buySale,
}

function storeBid(
  ...[bid, db, { now }]: Parameters<Execute<SqlDb, BidParams, Shown<AuctionItem>>>
): Promise<Shown<AuctionItem>> {
  const { sellerId, itemNo, userId, amount } = bid
  return db.run(async (sql) => {
    const item = await itemOf<AuctionItem>(sql, 'AuctionItem', bid, 'FOR UPDATE')
    const mode = obstacle(item, now())
    if (item === undefined || mode !== undefined) return { item, mode }
    if (amount <= item.maxBid) return { item, mode: losingBid }
    await sql.insert(auctionTable('Bid'), { sellerId, itemNo, userId, amount, at: now() })
    await sql.change(`UPDATE {AuctionItem} SET "maxBid" = ? WHERE ${ofItem}`, [amount, sellerId, itemNo])
    return { item: { ...item, maxBid: amount } }
  })
}

function buyAuction(
  ...[purchase, db, { now }]: Parameters<Execute<SqlDb, BuyAuctionParams, Shown<AuctionItem>>>
): Promise<Shown<AuctionItem>> {
  const { sellerId, itemNo, buyerId } = purchase
  return db.run(async (sql) => {
    const item = await itemOf<AuctionItem>(sql, 'AuctionItem', purchase, 'FOR UPDATE')
    const mode = obstacle(item, now())
    if (item === undefined || mode !== undefined) return { item, mode }
    await sql.insert(auctionTable('BuyNowAuction'), {
      sellerId,
      itemNo,
      buyerId,
      amount: item.buyNow,
      at: now(),
    })
    await sql.change(`UPDATE {AuctionItem} SET "maxBid" = ? WHERE ${ofItem}`, [sold, sellerId, itemNo])
    return { item: { ...item, maxBid: sold } }
  })
}

function buySale(
  ...[purchase, db, { now }]: Parameters<Execute<SqlDb, BuySaleParams, Shown<SaleItem>>>
): Promise<Shown<SaleItem>> {
  const { sellerId, itemNo, buyerId, quantity } = purchase
  return db.run(async (sql) => {
    const item = await itemOf<SaleItem>(sql, 'SaleItem', purchase, 'FOR UPDATE')
    const mode = shortage(item, quantity)
    if (item === undefined || mode !== undefined) return { item, mode }
    const left = item.quantity - quantity
    await sql.insert(auctionTable('BuyNowSale'), { sellerId, itemNo, buyerId, quantity, at: now() })
    await sql.change(`UPDATE {SaleItem} SET "quantity" = ? WHERE ${ofItem}`, [left, sellerId, itemNo])
    return { item: { ...item, quantity: left } }
  })
}

async function itemOf<T>(
  sql: Sql,
  table: string,
  { sellerId, itemNo }: ItemId,
  lock = '',
): Promise<T | undefined> {
  const [item] = await sql.rows<T>(`SELECT * FROM {${table}} WHERE ${ofItem} ${lock}`, [sellerId, itemNo])
  return item
}

/** Rows of a table with their items, by one statement. */
async function joined<T, I>(
  sql: Sql,
  table: string,
  items: string,
  where: string,
  values: readonly number[],
): Promise<readonly WithItem<T, I>[]> {
  const [own, its] = [table, items].map((name) => Object.keys(auctionTable(name).columns)) as [
    string[],
    string[],
  ]
  const columns = [
    ...own.map((name) => `o."${name}" AS "o_${name}"`),
    ...its.map((name) => `i."${name}" AS "i_${name}"`),
  ]
  const on = 'o."sellerId" = i."sellerId" AND o."itemNo" = i."itemNo"'
  const text = `SELECT ${columns.join(', ')} FROM {${table}} o JOIN {${items}} i ON ${on} WHERE ${where}`
  const rows = await sql.rows<SqlRow>(text, values)
  return rows.map((row) => ({ of: partOf<T>(row, 'o_', own), item: partOf<I>(row, 'i_', its) }))
}

function partOf<T>(row: SqlRow, prefix: string, names: readonly string[]): T {
  return Object.fromEntries(names.map((name) => [name, row[prefix + name]])) as T
}
