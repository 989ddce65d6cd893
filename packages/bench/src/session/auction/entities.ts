import { entity, plain } from '@unikv/entity'

/** A user, who sells and buys. */
export interface User {
  readonly userId: number
  readonly name: string
}

/** An item of a seller. */
export interface ItemId {
  readonly sellerId: number
  readonly itemNo: number
}

/** An item on auction. Amounts are in cents, times in milliseconds since 1970. */
export interface AuctionItem extends ItemId {
  readonly name: string
  readonly initialBid: number
  readonly buyNow: number
  /** The highest bid, or the initial one; −1: it was bought. */
  readonly maxBid: number
  readonly endsAt: number
}

/** A bid that was the highest when it was made. */
export interface Bid extends ItemId {
  readonly bidNo: number
  readonly userId: number
  readonly amount: number
  readonly at: number
}

/** The purchase of an item that was on auction. */
export interface BuyNowAuction extends ItemId {
  readonly buyerId: number
  readonly amount: number
  readonly at: number
}

/** An item on sale, of which there are several. */
export interface SaleItem extends ItemId {
  readonly name: string
  /** Cents for one. */
  readonly price: number
  /** How many there were. */
  readonly offered: number
  /** How many are left. */
  readonly quantity: number
}

/** A purchase of some of an item on sale. */
export interface BuyNowSale extends ItemId {
  readonly saleNo: number
  readonly buyerId: number
  readonly quantity: number
  readonly at: number
}

/** The rows of each kind. */
export interface AuctionRows {
  readonly User: User
  readonly AuctionItem: AuctionItem
  readonly Bid: Bid
  readonly BuyNowAuction: BuyNowAuction
  readonly SaleItem: SaleItem
  readonly BuyNowSale: BuyNowSale
}

/** Users: a group each. */
export const UserType = entity('User', { schema: plain<User>(), id: ['userId'] })

const item = { id: ['sellerId', 'itemNo'], generated: 'itemNo', indexes: ['sellerId'] } as const

/** Items on auction: a group each, with their bids and their purchase. */
export const AuctionItemType = entity('AuctionItem', { schema: plain<AuctionItem>(), ...item })

/** Bids, in the group of their item. */
export const BidType = entity('Bid', {
  schema: plain<Bid>(),
  id: ['sellerId', 'itemNo', 'bidNo'],
  generated: 'bidNo',
  group: AuctionItemType,
  indexes: [['sellerId', 'itemNo'], 'userId'],
})

/** Purchases of items on auction, in the group of their item: at most one each. */
export const BuyNowAuctionType = entity('BuyNowAuction', {
  schema: plain<BuyNowAuction>(),
  id: ['sellerId', 'itemNo'],
  group: AuctionItemType,
  indexes: ['buyerId'],
})

/** Items on sale: a group each, with their purchases. */
export const SaleItemType = entity('SaleItem', { schema: plain<SaleItem>(), ...item })

/** Purchases of items on sale, in the group of their item. */
export const BuyNowSaleType = entity('BuyNowSale', {
  schema: plain<BuyNowSale>(),
  id: ['sellerId', 'itemNo', 'saleNo'],
  generated: 'saleNo',
  group: SaleItemType,
  indexes: [['sellerId', 'itemNo'], 'buyerId'],
})

/** The entity types of the benchmark. */
export const auctionTypes = [
  UserType,
  AuctionItemType,
  BidType,
  BuyNowAuctionType,
  SaleItemType,
  BuyNowSaleType,
] as const

/** The highest bid of an item that was bought. */
export const sold = -1
