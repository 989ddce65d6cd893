import { wallClock } from '@unikv/core/platform'
import type { EntityDb } from '@unikv/entity'
import { anyUser } from '../model/declared-numbers.ts'
import type { Draws } from '../model/draws.ts'
import { checkedParameters, type Parameters } from '../model/parameters.ts'
import type { Population } from '../run/populate.ts'
import type { SqlDb } from '../sql/sql-db.ts'
import {
  type AuctionData,
  auctionEntityData,
  auctionSqlData,
  type NewAuction,
  type NewSale,
} from './contents.ts'
import { type AuctionTypes, groupedAuction } from './entities.ts'
import { type AuctionParameters, auctionParameters, checkAuctionParameters } from './parameters.ts'
import { auctionGoods, bidFor, dayMs, quantityFor, saleGoods } from './plans.ts'
import { sold } from './rows.ts'

/** How much is there from the start. */
export interface AuctionPopulationOptions extends Partial<AuctionParameters> {
  /** Auctions began up to so many days ago, each time as likely, so that some of them have ended. @default 0 */
  readonly AGE_DAYS?: number | undefined
  /** Wall-clock time in milliseconds. @default that of the system */
  readonly now?: (() => number) | undefined
}

/** Auctions and sales of each user, and bids of each auction. */
const [auctionsEach, salesEach, bidsEach] = [5, 5, 5]
/** The share of auctions whose item is bought, and that of sales with purchases, and how many these have. */
const [boughtShare, purchasedShare, purchasesEach] = [0.2, 0.8, 2]

/** The users with their auctions and sales, by an entity database. */
export function auctionPopulation(options: AuctionPopulationOptions = {}): readonly Population<EntityDb>[] {
  return auctionPopulationOf(groupedAuction, options)
}

/** The same by these types. */
export function auctionPopulationOf(
  types: AuctionTypes,
  options: AuctionPopulationOptions,
): readonly Population<EntityDb>[] {
  return [users(options, auctionEntityData(types))]
}

/** The users with their auctions and sales, by SQL. */
export function auctionSqlPopulation(options: AuctionPopulationOptions = {}): readonly Population<SqlDb>[] {
  return [users(options, auctionSqlData)]
}

interface Making {
  readonly values: AuctionParameters
  readonly draw: Draws
  readonly sellerId: number
  /** When auctions began, at the earliest and at the latest. */
  readonly times: readonly [number, number]
}

function users<Db>(
  { AGE_DAYS = 0, now = wallClock, ...given }: AuctionPopulationOptions,
  data: AuctionData<Db>,
): Population<Db> {
  const values = checkedParameters(given, { ...auctionParameters }) as AuctionParameters & Parameters
  checkAuctionParameters(values)
  const startedAt = now()
  const times = [startedAt - AGE_DAYS * dayMs, startedAt] as const
  return {
    name: 'user',
    first: values.MIN_USER_ID,
    count: values.USER_NUM,
    async fill(db, sellerId, draw) {
      const making = { values, draw, sellerId, times }
      await data.addUser(db, { userId: sellerId, name: draw.text(values.NAME_LENGTH) })
      for (let item = 0; item < auctionsEach; item++) await data.addAuction(db, auctionOf(making))
      for (let item = 0; item < salesEach; item++) await data.addSale(db, saleOf(making))
    },
    async check(db, userId) {
      const { auctions, sales } = await data.bySeller(db, userId)
      const bids = auctions.reduce((sum, one) => sum + one.bids.length, 0)
      const isRight =
        auctions.length === auctionsEach && sales.length === salesEach && bids === auctionsEach * bidsEach
      return isRight
        ? undefined
        : `it has ${auctions.length} auctions with ${bids} bids, and ${sales.length} sales`
    },
  }
}

function auctionOf({ values, draw, sellerId, times }: Making): NewAuction {
  const { durationMs, ...goods } = auctionGoods(draw, values, sellerId)
  const at = Math.floor(draw.double(...times))
  const bids: NewAuction['bids'][number][] = []
  let maxBid = goods.initialBid
  for (let bid = 0; bid < bidsEach; bid++) {
    maxBid = Math.max(maxBid + 1, bidFor(draw, { maxBid, buyNow: goods.buyNow }))
    bids.push({ sellerId, userId: anyUser(values, draw), amount: maxBid, at })
  }
  const isBought = draw.chance(boughtShare)
  const purchase = { sellerId, buyerId: anyUser(values, draw), amount: goods.buyNow, at }
  const item = { ...goods, maxBid: isBought ? sold : maxBid, endsAt: at + durationMs }
  return { item, bids, purchases: isBought ? [purchase] : [] }
}

function saleOf({ values, draw, sellerId, times: [, at] }: Making): NewSale {
  const goods = saleGoods(draw, values, sellerId)
  const purchases: NewSale['purchases'][number][] = []
  let quantity = goods.offered
  for (let count = draw.chance(purchasedShare) ? purchasesEach : 0; count > 0; count--) {
    const bought = quantityFor(draw, { quantity })
    if (bought > quantity) break
    quantity -= bought
    purchases.push({ sellerId, buyerId: anyUser(values, draw), quantity: bought, at })
  }
  return { item: { ...goods, quantity }, purchases }
}
