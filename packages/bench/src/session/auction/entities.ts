import { entity, type Group, plain } from '@unikv/entity'
import type { AuctionItem, Bid, BuyNowAuction, BuyNowSale, ItemId, SaleItem, User } from './rows.ts'

const item = { id: ['sellerId', 'itemNo'], generated: 'itemNo', indexes: ['sellerId'] } as const

/** The entity types of the benchmark, with all of an item in its group, or each entity in a group of its own. */
function typesIn(areGrouped: boolean) {
  /** Users: a group each. */
  const User = entity('User', { schema: plain<User>(), id: ['userId'] })
  const AuctionItem = entity('AuctionItem', { schema: plain<AuctionItem>(), ...item })
  /** They are in the group of their item. */
  const ofAuction = areGrouped ? AuctionItem : undefined
  const Bid = entity('Bid', {
    schema: plain<Bid>(),
    id: ['sellerId', 'itemNo', 'bidNo'],
    generated: 'bidNo',
    group: ofAuction,
    indexes: [['sellerId', 'itemNo'], 'userId'],
  })
  /** At most one for each item. */
  const BuyNowAuction = entity('BuyNowAuction', {
    schema: plain<BuyNowAuction>(),
    id: ['sellerId', 'itemNo'],
    group: ofAuction,
    indexes: ['buyerId'],
  })
  const SaleItem = entity('SaleItem', { schema: plain<SaleItem>(), ...item })
  const BuyNowSale = entity('BuyNowSale', {
    schema: plain<BuyNowSale>(),
    id: ['sellerId', 'itemNo', 'saleNo'],
    generated: 'saleNo',
    group: areGrouped ? SaleItem : undefined,
    indexes: [['sellerId', 'itemNo'], 'buyerId'],
  })
  const all = [User, AuctionItem, Bid, BuyNowAuction, SaleItem, BuyNowSale] as const
  /** The groups of a transaction on an item: its own, and those of others that have its id. Groups of entities that get a number join. */
  const on = (id: ItemId, own: OfItem, ...others: readonly OfItem[]): Group | readonly Group[] =>
    areGrouped ? own.group(id) : [own, ...others].map((type) => type.group(id))
  return { all, User, AuctionItem, Bid, BuyNowAuction, SaleItem, BuyNowSale, on }
}

/** A type whose groups are named by the id of an item. */
interface OfItem {
  group(id: ItemId): Group
}

/** The entity types of the benchmark. */
export type AuctionTypes = ReturnType<typeof typesIn>

/** An item is a group, with its bids and purchases. */
export const groupedAuction: AuctionTypes = typesIn(true)

/** Each entity is a group of its own, and so a record: transactions are over several. */
export const singleAuction: AuctionTypes = typesIn(false)

/** The entity types of the benchmark, with all of an item in its group. */
export const auctionTypes = groupedAuction.all
