import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { clearNativeGroups, type EntityDb, entities, entity, linear, plain } from '../src/index.ts'
import { Account, AuctionItem, Bid } from './auction-types.ts'

const open = () => entities(keyValue(memory()), [Account, AuctionItem])
const id = { bank: 'b', no: 1 }
const group = Account.group({ bank: 'b' })

/** The database and its parts as plain JavaScript sees them. */
type Loose = ReturnType<typeof JSON.parse>

/** Calls that a compiler would refuse, inside of a transaction. */
const inside = (work: (tx: Loose) => unknown) => (db: Loose) => db.run(group, work)

test.each<[string, (db: Loose) => unknown]>([
  ['tx.get() takes no settings', inside((tx) => tx.get(Account, id, { timeoutMs: 1 }))],
  ['tx.getMany() takes no settings', inside((tx) => tx.getMany(Account, [id], { timeoutMs: 1 }))],
  ['tx.create() takes no settings', inside((tx) => tx.create(Account, { ...id, balance: 1 }, {}))],
  ['tx.update() takes no settings', inside((tx) => tx.update(Account, { ...id, balance: 1 }, {}))],
  ['tx.delete() takes no settings', inside((tx) => tx.delete(Account, id, {}))],
  ['Did you mean `limit`?', inside((tx) => tx.byIndex(Account, 'bank', 'b', { limt: 1 }))],
  ['of tx.byIndex() must be an object', inside((tx) => tx.byIndex(Account, 'bank', 'b', null))],
  ['getMany() takes a list of ids of Account, got an object', inside((tx) => tx.getMany(Account, id))],
  ['getMany() takes a list of ids of Account, got undefined', (db) => db.getMany(Account)],
  ['get() takes an entity type of this database (Account, AuctionItem) first', (db) => db.get('Account', id)],
  ['create() takes the properties of Account as an object', (db) => db.create(Account)],
  [
    'must be a list of 2 values, got a list of 1',
    () => entities(keyValue(memory()), [AuctionItem, Bid]).byIndex(Bid, ['sellerId', 'itemNo'], [1] as Loose),
  ],
  ['The id of Account must be an object with `bank`, `no`, got a string', (db) => db.get(Account, 'b')],
  ['The id of Account must be an object with `bank`, `no`, got undefined', (db) => db.update(Account)],
  ['The id of Account must be an object with `bank`, `no`, got null', (db) => db.getMany(Account, [null])],
  ['The id of Account must be an object with `bank`, `no`, got an Array', (db) => db.get(Account, ['b', 1])],
  [
    'The id of Account must be an object with `bank`, `no`, got a number',
    (db) => db.byIndex(Account, 'bank', 'b', { after: 1 }),
  ],
  ['Make it by Account.group()', (db) => db.run({ root: 'Account', id: [null] }, async () => 1)],
  ['got an entity type. Use Account.group()', (db) => db.run(Account, async () => 1)],
  ['has another number of properties', (db) => db.run({ root: 'Account', id: [] }, async () => 1)],
  ['`onRetry` of run() must be a function; got 5', (db) => db.run(group, async () => 1, { onRetry: 5 })],
  ['`no` of Account holds a lone surrogate', (db) => db.create(Account, { bank: 'b', no: '\ud800' })],
  [
    'is another one than the Account of this database',
    (db) => db.get(entity('Account', { schema: plain<{ a: number }>(), id: ['a'] }), { a: 1 }),
  ],
])('says in one sentence: %s', async (message, call) => {
  const called = (async () => call(open()))()
  await expect(called).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(message),
  })
})

test('a second entity with one id, and a value that JSON would change, are told with a remedy for entities', async () => {
  const db = open()
  const account = { ...id, balance: 1 }
  await db.create(Account, account)
  await expect(db.create(Account, account)).rejects.toMatchObject({
    code: 'CONDITION_FAILED',
    message: 'There is already an Account with this id. Use update() to replace it.',
  })
  for (const balance of [1n, Number.NaN, new Date(0), Symbol('s')])
    await expect(db.update(Account, { ...id, balance } as never)).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.not.stringContaining('structured'),
    })
  await expect((clearNativeGroups as Loose)()).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: 'clearNativeGroups() takes a KeyValue, got undefined. Make one with keyValue(store).',
  })
})

test.each<[string, () => unknown]>([
  ['`schema` of the entity type T must be a Standard Schema', () => (entity as Loose)('T')],
  ['options of linear() must be an object', () => (linear as Loose)(null)],
  ['must be made by entity()', () => entities(keyValue(memory()), [{ root: 'A', name: 'A' } as Loose])],
])('refuses a wrong configuration: %s', (message, make) => {
  expect(make).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(message) }),
  )
})

test('a value that its schema refuses is named by its entity type', async () => {
  const Named = entity('Named', { schema: z.object({ id: z.number(), v: z.number() }), id: ['id'] })
  const db = entities(keyValue(memory()), [Named])
  await expect(db.create(Named, { id: 1, v: 'x' as never })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
    message: 'Entity type Named: The value does not fit the schema at v (1 in all): expected number.',
    path: ['v'],
  })
})

test('a key that does not fit a record is refused, and nothing is lost', async () => {
  const Page = entity('Page', {
    schema: plain<{ site: string; path: string }>(),
    id: ['site', 'path'],
    group: ['site'],
    indexes: ['site'],
  })
  const db = entities(keyValue(memory()), [Page])
  const page = await db.create(Page, { site: 's', path: '/' })
  const long = { site: 's', path: 'x'.repeat(70_000) }
  await expect(db.create(Page, long)).rejects.toMatchObject({ code: 'KEY_TOO_LONG' })
  expect(await db.byIndex(Page, 'site', 's')).toEqual([page])
})

test('types know the group, the generated property and the members of a union', async () => {
  // @ts-expect-error an entity type is not a group
  await expect(open().run(AuctionItem, async () => 1)).rejects.toThrow('Use AuctionItem.group()')
  // @ts-expect-error the seller's id is a number
  expect(Bid.group({ sellerId: 'a', itemNo: 1 }).id).toEqual(['a', 1])
  // @ts-expect-error a text cannot be generated
  entity('T', { schema: plain<{ a: string; b: number }>(), id: ['a', 'b'], generated: 'a' })
  const kinds = [
    z.object({ no: z.number(), kind: z.literal('round'), radius: z.number() }),
    z.object({ no: z.number(), kind: z.literal('square'), side: z.number() }),
  ] as const
  const Shape = entity('Shape', {
    schema: z.discriminatedUnion('kind', kinds),
    id: ['no'],
    generated: 'no',
  })
  const db = entities(keyValue(memory()), [Shape])
  const round = await db.create(Shape, { kind: 'round', radius: 2 })
  expect(await db.get(Shape, round)).toEqual({ no: 1, kind: 'round', radius: 2 })
  // @ts-expect-error a round one has no side
  await expect(db.create(Shape, { kind: 'round', side: 2 })).rejects.toMatchObject({ code: 'INVALID_VALUE' })
})

test('a run is refused inside of one of its database, also with that of another database between them', async () => {
  const [db, other] = [0, 1].map(() => entities(keyValue(memory()), [Account])) as [EntityDb, EntityDb]
  const inside = (first: EntityDb, second: EntityDb, third: EntityDb): Promise<number> =>
    first.run(group, () => second.run(group, () => third.run(group, async () => 3)))
  const refused = { message: expect.stringContaining('inside the function of another run()') }
  await expect(inside(db, other, db)).rejects.toMatchObject(refused)
  await expect(inside(db, other, other)).rejects.toMatchObject(refused)
  expect(await db.run(group, () => other.run(group, async () => 2))).toBe(2)
  // Work that goes on after the end of a run is in none.
  let go = (): void => {}
  const ended = new Promise<void>((resolve) => (go = resolve))
  let late: Promise<number> | undefined
  await db.run(group, async () => {
    late = ended.then(() => db.run(group, async () => 1))
  })
  go()
  expect(await late).toBe(1)
})
