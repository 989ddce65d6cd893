import { entity, plain } from '../src/index.ts'

/** Types of an auction: a group of an item and its bids, with both kinds of index. */
export const AuctionItem = entity('AuctionItem', {
  schema: plain<{ sellerId: number; itemNo: number; name: string; maxBid: number }>(),
  id: ['sellerId', 'itemNo'],
  generated: 'itemNo',
  indexes: ['sellerId'],
})

export const Bid = entity('Bid', {
  schema: plain<{ sellerId: number; itemNo: number; bidNo: number; userId: number; amount: number }>(),
  id: ['sellerId', 'itemNo', 'bidNo'],
  generated: 'bidNo',
  group: AuctionItem,
  indexes: [['sellerId', 'itemNo'], 'userId'],
})

export const Account = entity('Account', {
  schema: plain<{ bank: string; no: number; balance: number }>(),
  id: ['bank', 'no'],
  group: ['bank'],
  indexes: ['bank'],
})
