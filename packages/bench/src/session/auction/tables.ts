import type { Sql, SqlRow, SqlTable } from '../sql/sql-db.ts'
import type { WithItem } from './calls.ts'
import { type AuctionRows, auctionTypes, type ItemId } from './entities.ts'

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
export const ofItem = '"sellerId" = ? AND "itemNo" = ?'

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
export async function itemOf<K extends keyof AuctionRows>(
  sql: Sql,
  table: K,
  { sellerId, itemNo }: ItemId,
  lock = '',
): Promise<AuctionRows[K] | undefined> {
  const [found] = await rowsOf(sql, table, `${ofItem} ${lock}`, [sellerId, itemNo])
  return found
}

/** Rows of a table (`o`) with their items (`i`), by one statement. */
export async function joined<K extends keyof AuctionRows, I extends keyof AuctionRows>(
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
