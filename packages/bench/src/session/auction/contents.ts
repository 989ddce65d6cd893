import type { EntityDb } from '@unikv/entity'
import type { SqlDb } from '../sql/sql-db.ts'
import {
  type AuctionItem,
  AuctionItemType,
  type Bid,
  BidType,
  type BuyNowAuction,
  BuyNowAuctionType,
  type BuyNowSale,
  BuyNowSaleType,
  type SaleItem,
  SaleItemType,
  UserType,
} from './entities.ts'
import { auctionTable } from './tables.ts'

/** An item on auction, with all that hangs on it. */
export interface AuctionContents {
  readonly item: AuctionItem
  readonly bids: readonly Bid[]
  readonly purchases: readonly BuyNowAuction[]
}

/** An item on sale, with its purchases. */
export interface SaleContents {
  readonly item: SaleItem
  readonly purchases: readonly BuyNowSale[]
}

/** Everything that a user sells. */
export interface SellerContents {
  readonly auctions: readonly AuctionContents[]
  readonly sales: readonly SaleContents[]
}

/** Everything that a user has bid and bought, as the indexes by user find it. */
export interface BuyerContents {
  readonly bids: readonly Bid[]
  readonly auctions: readonly BuyNowAuction[]
  readonly sales: readonly BuyNowSale[]
}

/** Writes and reads all data of a user, by one data access. */
export interface AuctionData<Db> {
  /** Add a user. */
  addUser(db: Db, userId: number, name: string): Promise<void>
  /** Add an item with its bids and purchases, whose numbers the database gives. */
  addAuction(db: Db, contents: AuctionContents): Promise<void>
  /** Add an item with its purchases, whose numbers the database gives. */
  addSale(db: Db, contents: SaleContents): Promise<void>
  /** Everything that a user sells. */
  bySeller(db: Db, sellerId: number): Promise<SellerContents>
  /** Everything that a user has bid and bought. */
  byBuyer(db: Db, userId: number): Promise<BuyerContents>
}

/** The data of Auction in an entity database. */
export const auctionEntityData: AuctionData<EntityDb> = {
  async addUser(db, userId, name) {
    await db.create(UserType, { userId, name })
  },
  async addAuction(db, { item: { itemNo: _, ...item }, bids, purchases }) {
    const { sellerId, itemNo } = await db.create(AuctionItemType, item)
    await db.run(AuctionItemType.group({ sellerId, itemNo }), async (tx) => {
      for (const { bidNo: _bid, ...bid } of bids) await tx.create(BidType, { ...bid, itemNo })
      for (const purchase of purchases) await tx.create(BuyNowAuctionType, { ...purchase, itemNo })
    })
  },
  async addSale(db, { item: { itemNo: _, ...item }, purchases }) {
    const { sellerId, itemNo } = await db.create(SaleItemType, item)
    await db.run(SaleItemType.group({ sellerId, itemNo }), async (tx) => {
      for (const { saleNo: _sale, ...purchase } of purchases)
        await tx.create(BuyNowSaleType, { ...purchase, itemNo })
    })
  },
  async bySeller(db, sellerId) {
    const auctions = await db.byIndex(AuctionItemType, 'sellerId', sellerId)
    const sales = await db.byIndex(SaleItemType, 'sellerId', sellerId)
    return {
      auctions: await Promise.all(
        auctions.map(async (item) => ({
          item,
          bids: await db.byIndex(BidType, ['sellerId', 'itemNo'], [sellerId, item.itemNo]),
          purchases: [await db.get(BuyNowAuctionType, item)].filter((one) => one !== undefined),
        })),
      ),
      sales: await Promise.all(
        sales.map(async (item) => ({
          item,
          purchases: await db.byIndex(BuyNowSaleType, ['sellerId', 'itemNo'], [sellerId, item.itemNo]),
        })),
      ),
    }
  },
  async byBuyer(db, userId) {
    return {
      bids: await db.byIndex(BidType, 'userId', userId),
      auctions: await db.byIndex(BuyNowAuctionType, 'buyerId', userId),
      sales: await db.byIndex(BuyNowSaleType, 'buyerId', userId),
    }
  },
}

/** The data of Auction in SQL tables. */
export const auctionSqlData: AuctionData<SqlDb> = {
  async addUser(db, userId, name) {
    await db.insert(auctionTable('User'), { userId, name })
  },
  addAuction: (db, { item: { itemNo: _, ...item }, bids, purchases }) =>
    db.run(async (sql) => {
      const itemNo = await sql.insert(auctionTable('AuctionItem'), item)
      for (const { bidNo: _bid, ...bid } of bids) await sql.insert(auctionTable('Bid'), { ...bid, itemNo })
      for (const purchase of purchases)
        await sql.insert(auctionTable('BuyNowAuction'), { ...purchase, itemNo })
    }),
  addSale: (db, { item: { itemNo: _, ...item }, purchases }) =>
    db.run(async (sql) => {
      const itemNo = await sql.insert(auctionTable('SaleItem'), item)
      for (const { saleNo: _sale, ...purchase } of purchases)
        await sql.insert(auctionTable('BuyNowSale'), { ...purchase, itemNo })
    }),
  async bySeller(db, sellerId) {
    const all = <T>(table: string) => db.rows<T>(`SELECT * FROM {${table}} WHERE "sellerId" = ?`, [sellerId])
    const bids = await all<Bid>('Bid')
    const purchases = await all<BuyNowAuction>('BuyNowAuction')
    const bought = await all<BuyNowSale>('BuyNowSale')
    const of =
      (item: { readonly itemNo: number }) =>
      ({ itemNo }: { readonly itemNo: number }): boolean =>
        itemNo === item.itemNo
    return {
      auctions: (await all<AuctionItem>('AuctionItem')).map((item) => ({
        item,
        bids: bids.filter(of(item)),
        purchases: purchases.filter(of(item)),
      })),
      sales: (await all<SaleItem>('SaleItem')).map((item) => ({ item, purchases: bought.filter(of(item)) })),
    }
  },
  async byBuyer(db, userId) {
    const all = <T>(table: string, column: string) =>
      db.rows<T>(`SELECT * FROM {${table}} WHERE "${column}" = ?`, [userId])
    return {
      bids: await all<Bid>('Bid', 'userId'),
      auctions: await all<BuyNowAuction>('BuyNowAuction', 'buyerId'),
      sales: await all<BuyNowSale>('BuyNowSale', 'buyerId'),
    }
  },
}
