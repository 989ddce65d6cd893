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

/** The highest bid of an item that was bought. */
export const sold = -1
