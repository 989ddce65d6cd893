import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type EntityDb, entities } from '@unikv/entity'
import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { describeWith } from '@unikv/test-kit/vitest'
import { transactional } from '@unikv/transaction'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auction, auctionModels } from '../../src/session/auction/benchmark.ts'
import { auctionBy, auctionByEntities } from '../../src/session/auction/by-entities.ts'
import { auctionBySql, auctionTables } from '../../src/session/auction/by-sql.ts'
import { checkAuction } from '../../src/session/auction/check.ts'
import {
  type AuctionData,
  auctionSqlData,
  auctionEntityData as entityDataOf,
} from '../../src/session/auction/contents.ts'
import { groupedAuction, singleAuction } from '../../src/session/auction/entities.ts'
import type { AuctionState } from '../../src/session/auction/plans.ts'
import {
  auctionPopulation,
  auctionPopulationOf,
  auctionSqlPopulation,
} from '../../src/session/auction/population.ts'
import type { AuctionItem } from '../../src/session/auction/rows.ts'
import type { Benchmark } from '../../src/session/model/benchmark.ts'
import { type Population, populate } from '../../src/session/run/populate.ts'
import { runSessions } from '../../src/session/run/run-sessions.ts'
import { mysqlDb } from '../../src/session/sql/mysql.ts'
import { postgresDb } from '../../src/session/sql/postgres.ts'
import type { SqlDb } from '../../src/session/sql/sql-db.ts'

const parameters = { USER_NUM: 12 }
const population = { ...parameters, AGE_DAYS: 8 }
const {
  all: auctionTypes,
  AuctionItem: AuctionItemType,
  Bid: BidType,
  BuyNowAuction: BuyNowAuctionType,
  SaleItem: SaleItemType,
} = groupedAuction
const auctionEntityData = entityDataOf(groupedAuction)
const open = (): EntityDb => entities(keyValue(memory(), []), auctionTypes)

interface Style<Db> {
  readonly benchmark: Benchmark<Db, AuctionState>
  readonly data: AuctionData<Db>
  readonly population: readonly Population<Db>[]
  readonly statistics: (db: Db) => object
}

const byEntities: Style<EntityDb> = {
  benchmark: auction(auctionByEntities()),
  data: auctionEntityData,
  population: auctionPopulation(population),
  statistics: (db) => db.statistics(),
}

/** Each entity is a record, and transactions are over records. */
const byTransactions: Style<EntityDb> = {
  benchmark: auction(auctionBy(singleAuction, 'batch')),
  data: entityDataOf(singleAuction),
  population: auctionPopulationOf(singleAuction, population),
  statistics: (db) => db.statistics(),
}

const bySql: Style<SqlDb> = {
  benchmark: auction(auctionBySql),
  data: auctionSqlData,
  population: auctionSqlPopulation(population),
  statistics: (db) => db.statistics(),
}

/** Populate, run some hundred sessions of all models, and read everything. */
async function runs<Db>(db: Db, { benchmark, data, population, statistics }: Style<Db>) {
  await populate(db, population)
  const before = await checkAuction(db, data, { first: 1, count: 12 })
  expect(before).toMatchObject({ auctions: 60, bids: 300, sales: 60, problems: [] })
  const users = { first: 1, count: 12, newRatio: 0.05 }
  let newUsers = 0
  const done = new Map<string, number>()
  for (const [name, limit] of [
    ['default', 40],
    ['write-heavy', 12],
    ['read-only', 40],
  ] as const) {
    const model = { transitions: auctionModels[name]!, parameters, users }
    const run = {
      benchmark,
      model,
      db,
      sessions: 12,
      mostSessions: limit,
      statistics: () => statistics(db),
      seed: 5,
    }
    const { sample, sessions } = await runSessions(run)
    expect([sample.errors, sample.firstError]).toEqual([0, null])
    newUsers = Math.max(newUsers, sessions.newUsers)
    for (const { name: kind, service } of sample.kinds) done.set(kind, (done.get(kind) ?? 0) + service.count)
  }
  expect([...done].filter(([, count]) => count === 0)).toEqual([])
  // New users of 12 places have numbers in steps of 12; some may have sold an item, and dealt with nobody.
  const after = await checkAuction(db, data, { first: 1, count: 12 + newUsers * 12 + 12 })
  expect(newUsers).toBeGreaterThan(0)
  expect(after.problems).toEqual([])
  expect(after.auctions).toBe(60 + done.get('SELL_AUCTION_ITEM')!)
  expect(after.sales).toBe(60 + done.get('SELL_SALE_ITEM')!)
  expect(after.bids).toBeGreaterThan(before.bids)
  expect(after.purchases).toBeGreaterThan(before.purchases)
}

describe('by entities', () => {
  test('a population with a parameter that the auction does not have is refused', () => {
    expect(() => auctionPopulation({ USER_NUMBER: 3 } as object)).toThrow('Did you mean USER_NUM?')
  })

  test('on memory the auction ends consistent', () => runs(open(), byEntities))

  test('by transactions over records it does, too', () => {
    const log = keyValue(memory(), [json()])
    const kv = keyValue(memory(), [transactional({ log })])
    return runs(entities(kv, singleAuction.all), byTransactions)
  })

  test('a batch and single reads join the same', async () => {
    const db = open()
    await populate(db, auctionPopulation(population))
    const [batch, each] = [auctionByEntities('batch'), auctionByEntities('each')]
    const execution = { now: () => Date.now(), signal: new AbortController().signal }
    let found = 0
    for (let user = 1; user <= 12; user++)
      for (const name of ['VIEW_BIDS_BY_BIDDER', 'VIEW_WINNING_BIDS_BY_BIDDER'] as const) {
        const answer = await batch[name]({ userId: user }, db, execution)
        expect(await each[name]({ userId: user }, db, execution)).toEqual(answer)
        expect(answer.mode).toBe(answer.found.length === 0 ? 'EMPTY_RESULT' : undefined)
        found += answer.found.length
      }
    expect(found).toBeGreaterThan(300)
  })
})

function onSql(openDb: () => Promise<{ readonly db: SqlDb; close(): Promise<void> }>): void {
  let opened: Awaited<ReturnType<typeof openDb>>
  beforeAll(async () => {
    opened = await openDb()
    await opened.db.drop()
    await opened.db.create()
  })
  afterAll(async () => {
    await opened.db.drop()
    await opened.close()
  })

  test('by SQL the auction ends consistent', () => runs(opened.db, bySql))

  test('joins find what single statements find', async () => {
    const { db } = opened
    const execution = { now: () => Date.now(), signal: new AbortController().signal }
    const items = new Map<string, AuctionItem>()
    const buyers = []
    for (let user = 1; user <= 12; user++) {
      for (const { item } of (await auctionSqlData.bySeller(db, user)).auctions)
        items.set(`${item.sellerId}/${item.itemNo}`, item)
      buyers.push([user, await auctionSqlData.byBuyer(db, user)] as const)
    }
    for (const [user, { bids, auctions }] of buyers) {
      const found = (await auctionBySql.VIEW_BIDS_BY_BIDDER({ userId: user }, db, execution)).found
      const own = bids.filter(({ sellerId }) => sellerId <= 12)
      expect(
        found
          .filter(({ of }) => of.sellerId <= 12)
          .map(({ of }) => of.bidNo)
          .toSorted((a, b) => a - b),
      ).toEqual(own.map(({ bidNo }) => bidNo).toSorted((a, b) => a - b))
      for (const { of, item } of found.filter(({ of }) => of.sellerId <= 12))
        expect(item).toEqual(items.get(`${of.sellerId}/${of.itemNo}`))
      const bought = (await auctionBySql.VIEW_AUCTION_ITEMS_BY_BUYER({ buyerId: user }, db, execution)).found
      expect(bought).toHaveLength(auctions.length)
    }
  })
}

const prefix = `auction_${process.pid}`

describeWith('postgres', (url) => {
  onSql(async () => {
    const store = postgres({ url, maxConnections: 12 })
    return { db: postgresDb(store.native, { tables: auctionTables, prefix }), close: () => store.close() }
  })
})

describeWith('mariadb', (url) => {
  onSql(async () => {
    const store = mysql({ url, maxConnections: 12 })
    return { db: mysqlDb(store.native, { tables: auctionTables, prefix }), close: () => store.close() }
  })
})

describe('the check', () => {
  const check = (db: EntityDb) => checkAuction(db, auctionEntityData, { first: 1, count: 12 })
  const made = async () => {
    const db = open()
    await populate(db, auctionPopulation(population))
    const seller = await auctionEntityData.bySeller(db, 3)
    return { db, auctions: seller.auctions, sales: seller.sales }
  }

  test('finds a lost bid, a second sale and a wrong quantity', async () => {
    const { db, auctions, sales } = await made()
    const unsold = auctions.find(({ item }) => item.maxBid !== -1)!.item
    await db.update(AuctionItemType, { ...unsold, maxBid: unsold.maxBid + 5 })
    await db.update(SaleItemType, { ...sales[0]!.item, quantity: -1 })
    const other = auctions.find(({ item }) => item.maxBid !== -1 && item.itemNo !== unsold.itemNo)!.item
    const { sellerId, itemNo } = other
    await db.create(BuyNowAuctionType, { sellerId, itemNo, buyerId: 1, amount: 1, at: 0 })
    const { problems } = await check(db)
    const [left, offered] = [sales[0]!.item.quantity, sales[0]!.item.offered]
    expect(problems).toEqual([
      expect.stringContaining(`Auction item 3/`),
      expect.stringContaining(`Auction item 3/`),
      `Sale item 3/${sales[0]!.item.itemNo} has the quantity -1.`,
      `Sale item 3/${sales[0]!.item.itemNo} has -1 left of ${offered}, but ${offered - left} were bought.`,
    ])
    expect(problems).toContain(`Auction item 3/${itemNo} is not sold, but has 1 purchases.`)
    expect(problems).toContain(
      `Auction item 3/${unsold.itemNo} has the maximum bid ${unsold.maxBid + 5}, but its bids have ${unsold.maxBid}.`,
    )
  })

  test('finds a price that was not that of the item, and a bid of an item that is gone', async () => {
    const { db, auctions } = await made()
    const unsold = auctions.find(({ item }) => item.maxBid !== -1)!.item
    const { sellerId, itemNo } = unsold
    await db.create(BuyNowAuctionType, { sellerId, itemNo, buyerId: 1, amount: 1, at: 0 })
    await db.update(AuctionItemType, { ...unsold, maxBid: -1 })
    const told = `Auction item 3/${itemNo} was sold at 1, but its price is ${unsold.buyNow}.`
    expect((await check(db)).problems).toEqual([told])
    await db.delete(AuctionItemType, unsold)
    expect((await check(db)).problems).toHaveLength(6)
    for (const problem of (await check(db)).problems)
      expect(problem).toMatch(
        /^An index by user finds the (bid|purchase of an auction item) .* which is not there/,
      )
  })

  test('reads users who came in a run, whatever their numbers, and all with whom they deal', async () => {
    const { db, auctions } = await made()
    const goods = { name: 'n', initialBid: 5, buyNow: 9, endsAt: 1 }
    const { sellerId, itemNo } = await db.create(AuctionItemType, { ...goods, sellerId: 800, maxBid: 7 })
    await db.create(BidType, { sellerId, itemNo, userId: 900, amount: 7, at: 1 })
    const { item } = auctions.find((one) => one.item.maxBid !== -1)!
    const ofItem = { sellerId: item.sellerId, itemNo: item.itemNo }
    await db.create(BidType, { ...ofItem, userId: 900, amount: item.maxBid + 1, at: 1 })
    await db.update(AuctionItemType, { ...item, maxBid: item.maxBid + 1 })
    expect(await check(db)).toMatchObject({ auctions: 61, bids: 302, problems: [] })
    await db.update(AuctionItemType, { ...goods, sellerId, itemNo, maxBid: 8 })
    expect((await check(db)).problems).toEqual([
      `Auction item 800/${itemNo} has the maximum bid 8, but its bids have 7.`,
    ])
  })

  test('finds a bid that the index by user does not', async () => {
    const { db, auctions } = await made()
    const lost = auctions[0]!.bids[0]!
    const blind: AuctionData<EntityDb> = {
      ...auctionEntityData,
      byBuyer: async (from, user) => {
        const found = await auctionEntityData.byBuyer(from, user)
        return {
          ...found,
          bids: found.bids.filter(
            (bid) => !(bid.sellerId === 3 && bid.itemNo === lost.itemNo && bid.bidNo === lost.bidNo),
          ),
        }
      },
    }
    const { problems } = await checkAuction(db, blind, { first: 1, count: 12 })
    expect(problems).toEqual([expect.stringMatching(/^No index by user finds the bid \{"amount":/)])
    await db.delete(BidType, lost)
    expect((await check(db)).problems.length).toBeLessThanOrEqual(1)
  })
})
