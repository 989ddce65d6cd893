import type { SqlTable } from '../sql/sql-db.ts'

const item = { sellerId: 'integer', itemNo: 'integer' } as const

/** The tables of Auction: entities as rows, their indexes as indexes of the database. */
export const auctionTables: readonly SqlTable[] = [
  { name: 'User', columns: { userId: 'integer', name: 'text' }, key: ['userId'] },
  {
    name: 'AuctionItem',
    columns: {
      ...item,
      name: 'text',
      initialBid: 'integer',
      buyNow: 'integer',
      maxBid: 'integer',
      endsAt: 'time',
    },
    key: ['sellerId', 'itemNo'],
    generated: 'itemNo',
  },
  {
    name: 'Bid',
    columns: { ...item, bidNo: 'integer', userId: 'integer', amount: 'integer', at: 'time' },
    key: ['sellerId', 'itemNo', 'bidNo'],
    generated: 'bidNo',
    indexes: [['userId']],
  },
  {
    name: 'BuyNowAuction',
    columns: { ...item, buyerId: 'integer', amount: 'integer', at: 'time' },
    key: ['sellerId', 'itemNo'],
    indexes: [['buyerId']],
  },
  {
    name: 'SaleItem',
    columns: { ...item, name: 'text', price: 'integer', offered: 'integer', quantity: 'integer' },
    key: ['sellerId', 'itemNo'],
    generated: 'itemNo',
  },
  {
    name: 'BuyNowSale',
    columns: { ...item, saleNo: 'integer', buyerId: 'integer', quantity: 'integer', at: 'time' },
    key: ['sellerId', 'itemNo', 'saleNo'],
    generated: 'saleNo',
    indexes: [['buyerId']],
  },
]

/** A table by its name. */
export function auctionTable(name: string): SqlTable {
  return auctionTables.find((table) => table.name === name) as SqlTable
}
