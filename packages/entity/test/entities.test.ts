import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type EntityDb, entities } from '../src/index.ts'
import { Account, AuctionItem, Bid } from './auction-types.ts'

function open(): EntityDb {
  return entities(keyValue(memory()), [AuctionItem, Bid, Account])
}

/** The paper's bid (Figure 4). */
async function storeBid(
  db: EntityDb,
  id: { sellerId: number; itemNo: number },
  userId: number,
  amount: number,
) {
  return db.run(AuctionItem.group(id), async (tx) => {
    const item = await tx.get(AuctionItem, id)
    if (item === undefined) return 'NONE'
    if (amount <= item.maxBid) return 'LOST'
    await tx.create(Bid, { ...id, userId, amount })
    await tx.update(AuctionItem, { ...item, maxBid: amount })
    return 'SUCCESS'
  })
}

describe('an auction', () => {
  test('stores bids with their item, and finds them by both kinds of index', async () => {
    const db = open()
    const item = await db.create(AuctionItem, { sellerId: 7, name: 'lamp', maxBid: 0 })
    expect(item).toEqual({ sellerId: 7, itemNo: 1, name: 'lamp', maxBid: 0 })
    expect(await storeBid(db, item, 1, 10)).toBe('SUCCESS')
    expect(await storeBid(db, item, 2, 5)).toBe('LOST')
    expect(await storeBid(db, item, 2, 20)).toBe('SUCCESS')
    expect(await storeBid(db, { sellerId: 7, itemNo: 9 }, 2, 20)).toBe('NONE')
    expect(await db.get(AuctionItem, item)).toEqual({ ...item, maxBid: 20 })
    const bids = await db.byIndex(Bid, ['sellerId', 'itemNo'], [7, 1])
    expect(bids.map(({ bidNo, amount }) => [bidNo, amount])).toEqual([
      [1, 10],
      [2, 20],
    ])
    expect(await db.byIndex(Bid, 'userId', 2)).toEqual([bids[1]])
    expect(await db.byIndex(AuctionItem, 'sellerId', 7)).toEqual([{ ...item, maxBid: 20 }])
  })

  test('loses no bid of many at the same time', async () => {
    const db = open()
    const item = await db.create(AuctionItem, { sellerId: 1, name: 'lamp', maxBid: 0 })
    const results = await Promise.all(Array.from({ length: 50 }, (_, at) => storeBid(db, item, at, at + 1)))
    const stored = results.filter((result) => result === 'SUCCESS').length
    const bids = await db.byIndex(Bid, ['sellerId', 'itemNo'], [1, 1])
    expect(bids).toHaveLength(stored)
    expect(new Set(bids.map(({ bidNo }) => bidNo)).size).toBe(stored)
    expect((await db.get(AuctionItem, item))?.maxBid).toBe(50)
  })

  test('is gone when it is cleared, with its numbers', async () => {
    const store = memory()
    const db = entities(keyValue(store), [AuctionItem, Bid, Account])
    const item = await db.create(AuctionItem, { sellerId: 7, name: 'lamp', maxBid: 0 })
    await storeBid(db, item, 1, 10)
    expect(await db.clear()).toBe(5) // the item, an index each, two counters
    expect(await keyValue(store).count()).toBe(0)
    expect((await db.create(AuctionItem, { sellerId: 7, name: 'lamp', maxBid: 0 })).itemNo).toBe(1)
  })
})
