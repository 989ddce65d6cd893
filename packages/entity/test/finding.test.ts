import { keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { type EntityDb, entities, entity, plain } from '../src/index.ts'
import { AuctionItem, Bid } from './auction-types.ts'

interface User {
  readonly id: string
  readonly born: Date
  readonly home: { readonly town: string } | null
  readonly tags: readonly string[]
}
const User = entity('User', {
  schema: z.object({
    id: z.string(),
    born: z.coerce.date(),
    home: z.object({ town: z.string() }).nullable(),
    tags: z.array(z.string()),
  }),
  id: ['id'],
})
const Old = entity('Old', { schema: plain<{ no: number; 'a.b': number }>(), id: ['no'] })

/** Forty bids of eight users on four items, and how many records of the store are read. */
async function auction(): Promise<{ db: EntityDb; read: () => number }> {
  let reads = 0
  const counting = passThrough('counting', {
    wrap: (inner) => ({
      read: (asked, call) => {
        reads += asked.length
        return inner.read(asked, call)
      },
    }),
  })
  const db = entities(keyValue(memory(), [counting]), [AuctionItem, Bid, User, Old])
  for (let item = 0; item < 4; item++) {
    const { itemNo } = await db.create(AuctionItem, { sellerId: 1, name: `item ${item}`, maxBid: 0 })
    for (let i = 0; i < 10; i++)
      await db.create(Bid, { sellerId: 1, itemNo, userId: (item * 3 + i) % 8, amount: (i * 7) % 10 })
  }
  return {
    db,
    read: () => {
      const count = reads
      reads = 0
      return count
    },
  }
}

test('a group or an index that the query names is read alone, and all entities only with scan: true', async () => {
  const { db, read } = await auction()
  const { items: all } = await db.find(Bid, { scan: true })
  expectTypeOf(all[0]?.amount).toEqualTypeOf<number | undefined>()
  expect(all.map(({ itemNo, bidNo }) => [itemNo, bidNo])).toEqual(
    [1, 2, 3, 4].flatMap((item) => Array.from({ length: 10 }, (_, i) => [item, i + 1])),
  )
  const rich = all.filter(({ userId, amount }) => userId === 3 && amount >= 2)
  expect(rich.length).toBeGreaterThan(1)
  read()
  const byUser = { where: { userId: 3, amount: { gte: 2 } }, orderBy: [{ desc: 'amount' }] } as const
  expect((await db.find(Bid, byUser)).items).toEqual(rich.toSorted((a, b) => b.amount - a.amount))
  // The entries of the index, and the groups of what they lead to.
  expect(read()).toBeLessThanOrEqual(5)
  const inGroup = { where: { sellerId: 1, itemNo: { eq: 2 }, amount: { lt: 5 } } } as const
  expect((await db.find(Bid, inGroup)).items).toEqual(
    all.filter(({ itemNo, amount }) => itemNo === 2 && amount < 5),
  )
  expect(await db.aggregate(Bid, { ...inGroup, of: 'amount' })).toEqual({
    count: 5,
    sum: 10,
    min: 0,
    max: 4,
  })
  expect(read()).toBe(2)
  const total = all.reduce((sum, { amount }) => sum + amount, 0)
  expect(await db.aggregate(Bid, { of: 'amount', scan: true })).toMatchObject({ count: 40, sum: total })
  for (const refused of [
    db.find(Bid, {}),
    db.find(Bid, { where: { userId: { gt: 3 } } }),
    db.find(Bid, { where: { or: [{ userId: 3 }] } }),
    db.aggregate(Bid, { where: { sellerId: 1 } }),
  ])
    await expect(refused).rejects.toThrow(
      /would read all entities in groups of AuctionItem. Give `where` equal values of sellerId and itemNo, or of userId, or allow it by scan: true/,
    )
})

test('a path into a property is not the index or the group of that name', async () => {
  const Part = entity('Part', {
    schema: plain<{ 'a.b': number; no: number; 'x.y': string; a: { b: number }; x: { y: string } }>(),
    id: ['a.b', 'no'],
    group: ['a.b'],
    indexes: ['x.y'],
  })
  const db = entities(keyValue(memory()), [Part])
  await db.create(Part, { 'a.b': 1, no: 1, 'x.y': 'one', a: { b: 2 }, x: { y: 'two' } })
  await db.create(Part, { 'a.b': 2, no: 2, 'x.y': 'two', a: { b: 1 }, x: { y: 'one' } })
  const found = async (
    where: Parameters<typeof db.find<typeof Part>>[1]['where'],
    scan = false,
  ): Promise<unknown> => (await db.find(Part, { where, scan })).items.map(({ no }) => no)
  expect(await found({ 'a\\.b': 1 })).toEqual([1])
  expect(await found({ 'x\\.y': 'one' })).toEqual([1])
  expect(await found({ 'a.b': 1 }, true)).toEqual([2])
  expect(await found({ 'x.y': 'one' }, true)).toEqual([2])
  await expect(found({ 'a.b': 1 })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('pages follow each other, and a cursor belongs to its type and query', async () => {
  const { db } = await auction()
  const query = { where: { amount: { gt: 3 } }, orderBy: ['amount', { desc: 'userId' }], scan: true } as const
  const { items: all } = await db.find(Bid, query)
  const paged: unknown[] = []
  let after: string | undefined
  do {
    const page = await db.find(Bid, { ...query, limit: 5, after })
    paged.push(...page.items)
    after = page.cursor
  } while (after !== undefined)
  expect(paged).toEqual(all)
  const { cursor } = await db.find(Bid, { limit: 1, scan: true })
  await expect(db.find(AuctionItem, { limit: 1, scan: true, after: cursor })).rejects.toThrow(
    /belongs to another/,
  )
})

test('properties of objects, dates and null are found as KeyValue finds them, and wrong queries do not compile', async () => {
  const { db } = await auction()
  await db.create(User, { id: 'ada', born: new Date('1815-12-10'), home: { town: 'London' }, tags: ['a'] })
  await db.create(User, { id: 'alan', born: new Date('1912-06-23'), home: null, tags: [] })
  const ids = async (where: Parameters<typeof db.find<typeof User>>[1]['where']): Promise<string[]> =>
    (await db.find(User, { where, scan: true })).items.map(({ id }) => id)
  expect(await ids({ 'home.town': { prefix: 'Lon' } })).toEqual(['ada'])
  expect(await ids({ 'home.town': { contains: 'ondo' } })).toEqual(['ada'])
  expect(await ids({ born: { gte: '1900' } })).toEqual(['alan'])
  expect(await ids({ born: { contains: '-12-' } })).toEqual(['ada'])
  expect(await ids({ home: null })).toEqual(['alan'])
  expect(await ids({ or: [{ id: 'ada' }, { id: { in: ['alan', 'eve'] } }] })).toEqual(['ada', 'alan'])
  expect(await ids({ tags: { exists: true }, id: 'ada' })).toEqual(['ada'])
  await db.create(Old, { no: 1, 'a.b': 2 })
  expect((await db.find(Old, { where: { 'a\\.b': 2 }, scan: true })).items).toHaveLength(1)
  // @ts-expect-error -- this path leads into a property a
  expect((await db.find(Old, { where: { 'a.b': 2 }, scan: true })).items).toHaveLength(0)
  const byYes = db.find(User, { where: { id: 'ada' }, scan: 'yes' as never })
  await expect(byYes).rejects.toThrow(/`scan` must be true or false, got a string/)
  // @ts-expect-error -- there is no such property
  expect(await ids({ homes: null })).toEqual([])
  // @ts-expect-error -- a town is a text
  expect(await ids({ 'home.town': 1 })).toEqual([])
  // @ts-expect-error -- a list holds values, and no text
  expect(await ids({ tags: { contains: 'a' } })).toEqual([])
  // @ts-expect-error -- a list has no paths
  expect(await ids({ 'tags.0': 'a' })).toEqual([])
  // @ts-expect-error -- there is no such property
  await expect(db.find(User, { orderBy: ['age'], scan: true })).resolves.toMatchObject({ cursor: undefined })
  await expect(db.find(User, { limit: 0, scan: true })).rejects.toThrow(/from 1 to 10,000/)
  await expect(db.find(User, { sort: [] } as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})
