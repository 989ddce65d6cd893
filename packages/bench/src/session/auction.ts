export type { CheckedUsers } from './auction/all-contents.ts'
export { auction } from './auction/benchmark.ts'
export { auctionByEntities, type JoinStyle } from './auction/by-entities.ts'
export { auctionBySql } from './auction/by-sql.ts'
export type {
  AuctionCalls,
  BidParams,
  BuyAuctionParams,
  BuySaleParams,
  Listed,
  SellAuctionParams,
  SellSaleParams,
  Shown,
  WithItem,
} from './auction/calls.ts'
export { type AuctionCheck, checkAuction } from './auction/check.ts'
export {
  type AuctionContents,
  type AuctionData,
  auctionEntityData,
  auctionSqlData,
  type BuyerContents,
  type SaleContents,
  type SellerContents,
} from './auction/contents.ts'
export {
  type AuctionItem,
  AuctionItemType,
  auctionTypes,
  type Bid,
  BidType,
  type BuyNowAuction,
  BuyNowAuctionType,
  type BuyNowSale,
  BuyNowSaleType,
  type ItemId,
  type SaleItem,
  SaleItemType,
  type User,
  UserType,
} from './auction/entities.ts'
export { auctionModels } from './auction/models.ts'
export { type AuctionParameters, auctionParameters } from './auction/parameters.ts'
export type { AuctionState } from './auction/plans.ts'
export {
  type AuctionPopulationOptions,
  auctionPopulation,
  auctionSqlPopulation,
} from './auction/population.ts'
export { auctionTables } from './auction/tables.ts'
