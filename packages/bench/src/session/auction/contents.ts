import type { EntityDb } from '@unikv/entity'
import type { SqlDb } from '../sql/sql-db.ts'
import { auctionTable, rowsOf } from './by-sql.ts'
import type { AuctionTypes } from './entities.ts'
import type { AuctionRows } from './rows.ts'

type Row<K extends keyof AuctionRows> = AuctionRows[K]

/** A row whose numbers the database gives. */
type New<K extends keyof AuctionRows> = Omit<Row<K>, 'itemNo' | 'bidNo' | 'saleNo'>

/** An item on auction, with all that hangs on it. */
export interface AuctionContents<I = Row<'AuctionItem'>, B = Row<'Bid'>, P = Row<'BuyNowAuction'>> {
  readonly item: I
  readonly bids: readonly B[]
  readonly purchases: readonly P[]
}

/** An item on sale, with its purchases. */
export interface SaleContents<I = Row<'SaleItem'>, P = Row<'BuyNowSale'>> {
  readonly item: I
  readonly purchases: readonly P[]
}

/** An item on auction to add. */
export type NewAuction = AuctionContents<New<'AuctionItem'>, New<'Bid'>, New<'BuyNowAuction'>>

/** An item on sale to add. */
export type NewSale = SaleContents<New<'SaleItem'>, New<'BuyNowSale'>>

/** Everything that a user sells. */
export interface SellerContents {
  readonly auctions: readonly AuctionContents[]
  readonly sales: readonly SaleContents[]
}

/** Everything that a user has bid and bought, as the indexes by user find it. */
export interface BuyerContents {
  readonly bids: readonly Row<'Bid'>[]
  readonly auctions: readonly Row<'BuyNowAuction'>[]
  readonly sales: readonly Row<'BuyNowSale'>[]
}

/** Writes and reads all data of a user, by one data access. */
export interface AuctionData<Db> {
  addUser(db: Db, user: Row<'User'>): Promise<unknown>
  addAuction(db: Db, contents: NewAuction): Promise<void>
  addSale(db: Db, contents: NewSale): Promise<void>
  bySeller(db: Db, sellerId: number): Promise<SellerContents>
  byBuyer(db: Db, userId: number): Promise<BuyerContents>
}

/** The data of Auction in an entity database of these types. */
export function auctionEntityData(types: AuctionTypes): AuctionData<EntityDb> {
  const { User, AuctionItem, Bid, BuyNowAuction, SaleItem, BuyNowSale, on } = types
  return {
    addUser: (db, user) => db.create(User, user),
    async addAuction(db, { item, bids, purchases }) {
      const { sellerId, itemNo } = await db.create(AuctionItem, item)
      await db.run(on({ sellerId, itemNo }, AuctionItem, BuyNowAuction), async (tx) => {
        for (const bid of bids) await tx.create(Bid, { ...bid, itemNo })
        for (const purchase of purchases) await tx.create(BuyNowAuction, { ...purchase, itemNo })
      })
    },
    async addSale(db, { item, purchases }) {
      const { sellerId, itemNo } = await db.create(SaleItem, item)
      await db.run(on({ sellerId, itemNo }, SaleItem), async (tx) => {
        for (const purchase of purchases) await tx.create(BuyNowSale, { ...purchase, itemNo })
      })
    },
    async bySeller(db, sellerId) {
      const auctions = (await db.byIndex(AuctionItem, 'sellerId', sellerId)).map(async (item) => ({
        item,
        bids: await db.byIndex(Bid, ['sellerId', 'itemNo'], [sellerId, item.itemNo]),
        purchases: [await db.get(BuyNowAuction, item)].filter((one) => one !== undefined),
      }))
      const sales = (await db.byIndex(SaleItem, 'sellerId', sellerId)).map(async (item) => ({
        item,
        purchases: await db.byIndex(BuyNowSale, ['sellerId', 'itemNo'], [sellerId, item.itemNo]),
      }))
      return { auctions: await Promise.all(auctions), sales: await Promise.all(sales) }
    },
    byBuyer: async (db, userId) => ({
      bids: await db.byIndex(Bid, 'userId', userId),
      auctions: await db.byIndex(BuyNowAuction, 'buyerId', userId),
      sales: await db.byIndex(BuyNowSale, 'buyerId', userId),
    }),
  }
}

/** The data of Auction in SQL tables. */
export const auctionSqlData: AuctionData<SqlDb> = {
  addUser: (db, user) => db.insert(auctionTable('User'), { ...user }),
  addAuction: (db, { item, bids, purchases }) =>
    db.run(async (sql) => {
      const itemNo = await sql.insert(auctionTable('AuctionItem'), item)
      for (const bid of bids) await sql.insert(auctionTable('Bid'), { ...bid, itemNo })
      for (const purchase of purchases)
        await sql.insert(auctionTable('BuyNowAuction'), { ...purchase, itemNo })
    }),
  addSale: (db, { item, purchases }) =>
    db.run(async (sql) => {
      const itemNo = await sql.insert(auctionTable('SaleItem'), item)
      for (const purchase of purchases) await sql.insert(auctionTable('BuyNowSale'), { ...purchase, itemNo })
    }),
  async bySeller(db, sellerId) {
    const all = <K extends keyof AuctionRows>(table: K) => rowsOf(db, table, '"sellerId" = ?', [sellerId])
    const [bids, purchases, bought] = [await all('Bid'), await all('BuyNowAuction'), await all('BuyNowSale')]
    const auctions = (await all('AuctionItem')).map((item) => ({
      item,
      bids: bids.filter(({ itemNo }) => itemNo === item.itemNo),
      purchases: purchases.filter(({ itemNo }) => itemNo === item.itemNo),
    }))
    const sales = (await all('SaleItem')).map((item) => ({
      item,
      purchases: bought.filter(({ itemNo }) => itemNo === item.itemNo),
    }))
    return { auctions, sales }
  },
  byBuyer: async (db, userId) => ({
    bids: await rowsOf(db, 'Bid', '"userId" = ?', [userId]),
    auctions: await rowsOf(db, 'BuyNowAuction', '"buyerId" = ?', [userId]),
    sales: await rowsOf(db, 'BuyNowSale', '"buyerId" = ?', [userId]),
  }),
}
