import { json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type AnyEntityType, type EntityTransaction, entities, entity, plain } from '../src/index.ts'
import { Account, AuctionItem, Bid } from './auction-types.ts'

/** So many turns of promises. */
async function moments(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve()
}

const schema = plain<{ a: number; b: number; c: string }>()
const make = entity as unknown as (name: string, definition: unknown) => AnyEntityType

test.each([
  [{ schema, id: ['a'], group: ['b'] }, '`b` of the group is not a property of the id (`a`)'],
  [
    { schema, id: ['a'], group: AuctionItem },
    '`sellerId` of the group of AuctionItem is not a property of the id',
  ],
  [{ schema, id: ['a'], group: 7 }, '`group` must be an entity type or a list of properties, got a number'],
  [{ schema, id: [] }, '`id` must name at least one property'],
  [{ schema, id: 'a' }, '`id` must be a list of names of properties'],
  [{ schema, id: ['\ud800'] }, '`id` must be a list of names of properties'],
  [{ schema, id: ['a'], indexes: ['\udfff'] }, 'an index must be a list of names of properties'],
  [{ schema, id: ['a', 'a'] }, '`a` is twice in id'],
  [{ schema, id: ['a'], generated: 'b' }, '`generated` must be a property of the id (`a`), got `b`'],
  [{ schema, id: ['a'], indexes: ['b', ['b']] }, 'the index on b is there twice'],
  [{ schema, id: ['a'], indexes: [[]] }, 'an index must name at least one property'],
  [{ schema, id: ['a'], indexes: 'b' }, '`indexes` must be a list, got a string'],
  [{ schema: {}, id: ['a'] }, 'must be a Standard Schema'],
  [{ schema, id: ['a'], index: ['b'] }, 'Did you mean `indexes`?'],
])('entity() names what is wrong in %j', (definition, message) => {
  expect(() => make('T', definition)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(message) }),
  )
})

test('wrong definitions do not compile', () => {
  // @ts-expect-error `c2` is not a property
  expect(() => entity('T', { schema, id: ['c2'], group: ['b'] })).toThrow()
  // @ts-expect-error `b` is not a property of the id
  expect(() => entity('T', { schema, id: ['a'], group: ['b'] })).toThrow()
  // @ts-expect-error the group of AuctionItem has properties that this id does not have
  expect(() => entity('T', { schema, id: ['a'], group: AuctionItem })).toThrow()
  // @ts-expect-error `b` is not a property of the id
  expect(() => entity('T', { schema, id: ['a'], generated: 'b' })).toThrow()
  // @ts-expect-error no such property
  expect(entity('T', { schema, id: ['a'], indexes: ['x'] }).indexes).toEqual([['x']])
})

describe('a database', () => {
  const id = { sellerId: 1, itemNo: 1 }
  const open = () => entities(keyValue(memory()), [AuctionItem, Bid])

  test.each<[string, (tx: EntityTransaction, db: ReturnType<typeof open>) => Promise<unknown>]>([
    ['not in the group of the transaction', (tx) => tx.get(AuctionItem, { sellerId: 1, itemNo: 2 })],
    [
      'is not one of this database, which has AuctionItem, Bid',
      (tx) => tx.get(Account, { bank: 'b', no: 1 }),
    ],
    ['is outside of its groups', (tx) => tx.byIndex(Bid, 'userId', 7)],
    ['names its group', (tx) => tx.create(AuctionItem, { sellerId: 1, name: '', maxBid: 0 })],
    ['inside the function of another run()', (_, db) => db.run(AuctionItem.group(id), async () => 1)],
    ['Use tx.create()', (_, db) => db.create(Bid, { ...id, userId: 1, amount: 1 })],
    [
      'is generated: leave it out',
      (tx) => tx.create(Bid, { ...id, bidNo: 1, userId: 1, amount: 1 } as never),
    ],
    ['must be a text, a number or a boolean, got undefined', (tx) => tx.get(Bid, id as never)],
    [
      'has no index on amount. Its indexes: sellerId,itemNo; userId',
      (tx) => tx.byIndex(Bid, 'amount' as never, 1 as never),
    ],
    ['must be a list of 2 values, got a number', (tx) => tx.byIndex(Bid, ['sellerId', 'itemNo'], 1 as never)],
  ])('refuses inside a transaction: %s', async (message, work) => {
    const db = open()
    const run = db.run(AuctionItem.group(id), (tx) => work(tx, db))
    await expect(run).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    })
  })

  test('a transaction cannot be used after its end', async () => {
    const db = open()
    const tx = await db.run(AuctionItem.group(id), async (open) => ({ open }))
    await expect(tx.open.get(AuctionItem, id)).rejects.toMatchObject({
      message: expect.stringContaining('after the end of its transaction'),
    })
  })

  test('a function that does not wait for its changes changes nothing', async () => {
    const db = open()
    const late: Promise<unknown>[] = []
    const run = db.run(AuctionItem.group(id), async (tx) => {
      await tx.create(Bid, { ...id, userId: 1, amount: 1 })
      late.push(tx.create(Bid, { ...id, userId: 1, amount: 2 }).catch((error: unknown) => error))
    })
    await expect(run).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message:
        'The function of run() ended while calls of its transaction were under way, so nothing was changed. Await every call inside it.',
    })
    expect(await Promise.all(late)).toMatchObject([{ code: 'INVALID_ARGUMENT' }])
    expect(await db.byIndex(Bid, 'userId', 1)).toEqual([])
  })

  test.each<[string, (tx: EntityTransaction, credit: () => Promise<void>) => unknown]>([
    ['a helper that is at its first read', (_, credit) => void credit().catch(() => {})],
    ['a helper that loses a race', (_, credit) => Promise.race([credit(), Promise.resolve()])],
    ['a helper that is between two calls', (_, credit) => Promise.race([credit(), moments(12)])],
    ['a read', (tx) => void tx.get(AuctionItem, id)],
    ['a change', (tx) => void tx.update(AuctionItem, { ...id, name: '', maxBid: 7 })],
    ['a change that fails', (tx) => void tx.delete(Account, id as never)],
  ])('a forgotten %s is told by run() alone, and nothing is changed', async (_, forget) => {
    const db = open()
    const item = await db.create(AuctionItem, { sellerId: 1, name: '', maxBid: 0 })
    for (let hops = 0; hops < 30; hops++) {
      const run = db.run(AuctionItem.group(item), async (tx) => {
        await tx.create(Bid, { ...id, userId: 1, amount: hops })
        const credit = async (): Promise<void> => {
          const found = await tx.get(AuctionItem, item)
          await moments(hops)
          await tx.update(AuctionItem, { ...item, maxBid: (found?.maxBid ?? 0) + 1 })
        }
        await forget(tx, credit)
      })
      const error = await run.catch((thrown: unknown) => thrown)
      const bids = await db.byIndex(Bid, ['sellerId', 'itemNo'], [1, 1])
      const { maxBid } = (await db.get(AuctionItem, item)) ?? { maxBid: -1 }
      // A helper that was quick enough took part: all of it, or nothing.
      if (error === undefined) expect(bids).toHaveLength(maxBid)
      else expect(error).toMatchObject({ message: expect.stringContaining('were under way') })
      if (maxBid > 0) break
    }
  })

  test('changes whose failure the function caught may still be under way at its end, and are refused alike', async () => {
    const db = open()
    const bid = { ...id, bidNo: 9, userId: 1, amount: 1 }
    const run = db.run(AuctionItem.group(id), (tx) =>
      Promise.all([tx.update(Bid, bid), tx.create(Bid, { ...id, userId: 1, amount: 2 })]).catch(
        () => 'caught',
      ),
    )
    await expect(run).rejects.toMatchObject({ message: expect.stringContaining('were under way') })
    expect(await db.byIndex(Bid, 'userId', 1)).toEqual([])
  })

  test('what the function throws is thrown as it is, and nothing is changed', async () => {
    const db = open()
    const thrown = new Error('mine')
    const run = db.run(AuctionItem.group(id), async (tx) => {
      await tx.create(Bid, { ...id, userId: 1, amount: 1 })
      throw thrown
    })
    await expect(run).rejects.toBe(thrown)
    expect(await db.byIndex(Bid, 'userId', 1)).toEqual([])
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 0 })
  })

  test('an indexed property cannot change, and an entity is created once', async () => {
    const db = open()
    const bid = await db.create(Bid, { ...id, userId: 1, amount: 1 })
    await expect(db.update(Bid, { ...bid, userId: 2 })).rejects.toMatchObject({
      message: expect.stringContaining('is in an index'),
    })
    await expect(db.update(Bid, { ...bid, bidNo: 9 })).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
    const accounts = entities(keyValue(memory()), [Account])
    const account = { bank: 'b', no: 1, balance: 1 }
    await accounts.create(Account, account)
    await expect(accounts.create(Account, account)).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
  })

  test('a deadline ends a function that does not', async () => {
    const db = open()
    const run = db.run(AuctionItem.group(id), () => new Promise(() => {}), { timeoutMs: 20 })
    await expect(run).rejects.toMatchObject({ code: 'TIMEOUT' })
    const signal = AbortSignal.abort()
    await expect(db.create(Bid, { ...id, userId: 1, amount: 1 }, { signal })).rejects.toMatchObject({
      code: 'ABORTED',
    })
  })
})

test('native transactions are those of a store that has them, below layers that change nothing', () => {
  const through = passThrough('through', { wrap: () => ({}) })
  const open = (layers: readonly []) => () =>
    entities(keyValue(memory(), layers), [Account], { transactions: 'native' })
  expect(open([])).toThrow("memory has none. Use `transactions: 'records'`")
  expect(entities(keyValue(memory(), [through]), [Account], { transactions: 'auto' }).control).toBe(
    'optimistic',
  )
})

test('a KeyValue with a codec is refused at once, also by the compiler', () => {
  // @ts-expect-error entities() needs a KeyValue of bytes
  const open = () => entities(keyValue(memory(), [json()]), [Account])
  expect(open).toThrow('entities() needs a KeyValue of bytes: leave the codec json out.')
})

test('a creation without a property of an index says that it is because of the index', async () => {
  const User = entity('User', {
    schema: plain<{ no: number; email: string }>(),
    id: ['no'],
    indexes: ['email'],
  })
  const db = entities(keyValue(memory()), [User])
  await expect(db.create(User, { no: 1 } as never)).rejects.toMatchObject({
    message:
      '`email` of User, which has an index on email, must be a text, a number or a boolean, got undefined.',
  })
})

test('a store that cannot keep groups is refused', () => {
  const without = passThrough<{ conditionalWrite: false }>('plain', {
    capabilities: { conditionalWrite: false },
    wrap: () => ({}),
  })
  const drops = passThrough<{ evicts: true }>('drops', { capabilities: { evicts: true }, wrap: () => ({}) })
  const old = passThrough<{ isolation: 'eventual'; consistency: readonly [] }>('old', {
    capabilities: { isolation: 'eventual', consistency: [] },
    wrap: () => ({}),
  })
  const messageOf = (layer: typeof without | typeof drops | typeof old): string => {
    try {
      entities(keyValue(memory(), [layer]), [Account])
      return ''
    } catch (error) {
      return String(error)
    }
  }
  expect(messageOf(without)).toContain('it has no conditional writes')
  expect(messageOf(drops)).toContain('it may drop records by itself')
  expect(messageOf(old)).toContain('its reads may be old')
})
