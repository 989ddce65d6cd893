import type { Executions } from '../model/benchmark.ts'
import type { Sql, SqlDb, SqlRow, SqlTable } from '../sql/sql-db.ts'
import { type AuctionCalls, listed, losingBid, obstacle, shortage, shown, type WithItem } from './calls.ts'
import { auctionTypes } from './entities.ts'
import { type AuctionRows, type ItemId, sold } from './rows.ts'

const item = { sellerId: 'integer', itemNo: 'integer' } as const

const columns: Readonly<Record<keyof AuctionRows, SqlTable['columns']>> = {
  User: { userId: 'integer', name: 'text' },
  AuctionItem: {
    ...item,
    name: 'text',
    initialBid: 'integer',
    buyNow: 'integer',
    maxBid: 'integer',
    endsAt: 'time',
  },
  Bid: { ...item, bidNo: 'integer', userId: 'integer', amount: 'integer', at: 'time' },
  BuyNowAuction: { ...item, buyerId: 'integer', amount: 'integer', at: 'time' },
  SaleItem: { ...item, name: 'text', price: 'integer', offered: 'integer', quantity: 'integer' },
  BuyNowSale: { ...item, saleNo: 'integer', buyerId: 'integer', quantity: 'integer', at: 'time' },
}

/** The tables of Auction: entities as rows, their indexes as indexes of the database, unless their key does. */
export const auctionTables: readonly SqlTable[] = auctionTypes.map(({ name, id, generated, indexes }) => ({
  name,
  columns: columns[name as keyof AuctionRows],
  key: id,
  generated,
  indexes: indexes.filter((index) => !index.every((column, at) => column === (id as readonly string[])[at])),
}))

/** A table by its name. */
export function auctionTable(name: keyof AuctionRows): SqlTable {
  return auctionTables.find((table) => table.name === name) as SqlTable
}

/** The row of an item. */
const ofItem = '"sellerId" = ? AND "itemNo" = ?'

/** The rows of a table that a condition finds, with what follows it in the statement. */
export function rowsOf<K extends keyof AuctionRows>(
  sql: Sql,
  table: K,
  where: string,
  values: readonly number[],
): Promise<readonly AuctionRows[K][]> {
  return sql.rows<AuctionRows[K]>(`SELECT * FROM {${table}} WHERE ${where}`, values)
}

/** An item, whose row is locked in a transaction. */
async function itemOf<K extends keyof AuctionRows>(
  sql: Sql,
  table: K,
  { sellerId, itemNo }: ItemId,
  lock = '',
): Promise<AuctionRows[K] | undefined> {
  const [found] = await rowsOf(sql, table, `${ofItem} ${lock}`, [sellerId, itemNo])
  return found
}

/** Rows of a table (`o`) with their items (`i`), by one statement. */
async function joined<K extends keyof AuctionRows, I extends keyof AuctionRows>(
  sql: Sql,
  table: K,
  items: I,
  where: string,
  values: readonly number[],
): Promise<readonly WithItem<AuctionRows[K], AuctionRows[I]>[]> {
  const [own, its] = [Object.keys(columns[table]), Object.keys(columns[items])]
  const listed = [
    ...own.map((name) => `o."${name}" AS "o_${name}"`),
    ...its.map((name) => `i."${name}" AS "i_${name}"`),
  ]
  const on = 'o."sellerId" = i."sellerId" AND o."itemNo" = i."itemNo"'
  const text = `SELECT ${listed.join(', ')} FROM {${table}} o JOIN {${items}} i ON ${on} WHERE ${where}`
  const rows = await sql.rows<SqlRow>(text, values)
  return rows.map((row) => ({ of: partOf(row, 'o_', own), item: partOf(row, 'i_', its) }))
}

function partOf<T>(row: SqlRow, prefix: string, names: readonly string[]): T {
  return Object.fromEntries(names.map((name) => [name, row[prefix + name]])) as T
}

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
