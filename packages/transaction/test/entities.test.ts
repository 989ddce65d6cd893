import { randomBytes } from 'node:crypto'
import { type AnyStore, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { encryption, keyring } from '@unikv/encryption'
import { type EntityDb, entities, entity, plain } from '@unikv/entity'
import { postgres } from '@unikv/postgres'
import { redis } from '@unikv/redis'
import { judgeTransactions } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, it } from 'vitest'
import { transactional, transactions } from '../src/index.ts'
import { openedBoth, openedGroups } from './entities.ts'
import { historyOf } from './history.ts'
import { recovers } from './recovery.ts'
import { faultAt, type MemoryStore, Process, type Shared, sharedMemory } from './world.ts'

/** Of a store that changes one record at a time. */
function withoutStep(): Shared {
  const alone = { ...new Process().through(memory()), together: undefined } as unknown as AnyStore
  return { ...sharedMemory(), red: alone }
}

/** Groups of one store change in one step of it, if it has one; else they need a decision, as those of two stores do. */
const doors = [
  ['run over a list of groups', openedGroups, sharedMemory, 2],
  ['run over a list of groups in a store without a step for several', openedGroups, withoutStep, 7],
  ['a group and a record', openedBoth, sharedMemory, 7],
] as const

describe.each(doors)('%s', (_, open, make, least) => {
  describe('is whole', () => recovers(make, 2, { open, least }))

  it.each([1, 2])('history %i is strictly serializable', { timeout: 60_000 }, async (seed) => {
    const history = await historyOf(seed, make(), { open })
    expect(judgeTransactions(history)).toMatchObject({ serializable: true })
    expect(history.filter(({ result }) => result === 'committed').length).toBeGreaterThan(10)
  })
})

it('a recovery that has another store of the same place finishes nothing that was committed', async () => {
  let left = 0
  for (let at = 1; at < 12; at++) {
    const shared = withoutStep()
    const process = new Process(faultAt(at, 'crash after'))
    const { db } = openedGroups(shared, process)
    const work = db.run(async (tx) => {
      await tx.red.set('a', 1 as never)
      await tx.blue.set('a', 1 as never)
    })
    await Promise.race([work, process.gone])
    const log = keyValue(shared.log as MemoryStore, [json()])
    const other = keyValue(memory(), [json(), transactional({ log })])
    const wrong = await transactions({ other, log }).recover({ leaseMs: 1 })
    left += wrong.left.length
    expect(wrong.committed).toBe(0)
    const { red, blue, db: right } = openedGroups(shared)
    expect((await right.recover({ leaseMs: 1 })).left).toEqual([])
    expect(await red.get('a')).toBe(await blue.get('a'))
  }
  expect(left).toBeGreaterThan(0)
})

describeWith('redis', (redisUrl) => {
  describeWith('postgres', (postgresUrl) => {
    const dataset = `e${Math.random().toString(36).slice(2)}`
    const keys = keyring({ primary: 'k', keys: { k: randomBytes(32) } })
    const shared: Shared = {
      red: redis({ url: redisUrl, dataset }),
      blue: postgres({ url: postgresUrl, table: dataset, prepare: true }),
      log: redis({ url: redisUrl, dataset: `${dataset}log` }),
      layers: () => [encryption({ dataset: 'items', keys })],
    }
    describe('a group through encryption, and a record', () =>
      recovers(() => shared, 1, { open: openedBoth }))
    it('a history over groups is strictly serializable', { timeout: 60_000 }, async () => {
      const history = await historyOf(5, shared, { open: openedGroups })
      expect(judgeTransactions(history)).toMatchObject({ serializable: true })
    })
  })
})

const Auction = entity('Auction', {
  schema: plain<{ seller: number; no: number; best: number }>(),
  id: ['seller', 'no'],
  generated: 'no',
})
const Bid = entity('Bid', {
  schema: plain<{ seller: number; no: number; bidNo: number; user: number; amount: number }>(),
  id: ['seller', 'no', 'bidNo'],
  generated: 'bidNo',
  indexes: [['seller', 'no'], 'user'],
})
/** In a group with an index inside. */
const Note = entity('Note', {
  schema: plain<{ user: number; noteNo: number; text: string }>(),
  id: ['user', 'noteNo'],
  generated: 'noteNo',
  group: ['user'],
  indexes: ['user'],
})
const types = [Auction, Bid, Note]

type Stores = readonly [logs: Memory, groups: Memory, records: Memory]
type Memory = ReturnType<typeof memory>

/** What one process has of three stores. */
function open(stores: Stores = [memory(), memory(), memory()]) {
  const [logs, groups, records] = stores
  const log = keyValue(logs, [json()])
  const db = entities(keyValue(groups, [transactional({ log })]), types)
  const counts = keyValue(records, [json<number>(), transactional({ log })])
  return { log, db, counts, all: transactions({ auction: db, counts, log }) }
}

const item = { seller: 1, no: 1 }

/** A bid with a note of its user: three groups, one of which is known when the bid has its number. */
const bid = (db: EntityDb, user: number, amount: number) =>
  db.run([Auction.group(item), Note.group({ user })], async (tx) => {
    const auction = await tx.get(Auction, item)
    if (auction === undefined || auction.best >= amount) return undefined
    await tx.update(Auction, { ...auction, best: amount })
    await tx.create(Note, { user, text: `bid ${amount}` })
    return tx.create(Bid, { ...item, user, amount })
  })

describe('a transaction over several groups', () => {
  it('has generated ids and both kinds of index, and bids that meet are all told', async () => {
    const { db } = open()
    await db.create(Auction, { seller: 1, best: 0 })
    const made = await Promise.all(Array.from({ length: 24 }, (_, i) => bid(db, i % 3, i + 1)))
    const stored = made.filter((one) => one !== undefined)
    const amounts = stored.map(({ amount }) => amount).toSorted((a, b) => a - b)
    const found = await db.byIndex(Bid, ['seller', 'no'], [1, 1])
    expect(found.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual(amounts)
    expect(new Set(found.map(({ bidNo }) => bidNo)).size).toBe(found.length)
    expect(await db.get(Auction, item)).toMatchObject({ best: 24 })
    for (const user of [0, 1, 2]) {
      const own = stored.filter((one) => one.user === user).map(({ amount }) => `bid ${amount}`)
      const notes = await db.byIndex(Note, 'user', user)
      expect(notes.map(({ text }) => text).toSorted()).toEqual(own.toSorted())
      expect(notes.map(({ noteNo }) => noteNo)).toEqual(notes.map((_, i) => i + 1))
      expect(await db.byIndex(Bid, 'user', user)).toHaveLength(own.length)
    }
    // Nothing dangles, and what is removed leaves its indexes.
    const first = found[0] as (typeof found)[number]
    await db.run([Bid.group(first), Note.group({ user: 7 })], (tx) => tx.delete(Bid, first))
    expect(await db.byIndex(Bid, 'user', first.user)).not.toContainEqual(first)
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 0 })
  })

  it('that throws changes nothing in any group, and leaves no entry of an index', async () => {
    const { db } = open()
    await db.create(Auction, { seller: 1, best: 0 })
    const error = new Error('no')
    const work = db.run([Auction.group(item), Note.group({ user: 1 })], async (tx) => {
      await tx.create(Note, { user: 1, text: 'one' })
      await tx.create(Bid, { ...item, user: 1, amount: 1 })
      throw error
    })
    await expect(work).rejects.toBe(error)
    expect(await db.byIndex(Note, 'user', 1)).toEqual([])
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ entries: 0 })
  })

  it('runs again when another process comes between, and counts that', async () => {
    const stores: Stores = [memory(), memory(), memory()]
    const [{ db }, other] = [open(stores), open(stores)]
    await db.create(Auction, { seller: 1, best: 0 })
    let runs = 0
    await db.run([Auction.group(item), Note.group({ user: 1 })], async (tx) => {
      const { best } = (await tx.get(Auction, item)) as { best: number }
      if (runs++ === 0) await other.db.update(Auction, { ...item, best: 5 })
      await tx.create(Note, { user: 1, text: String(best) })
    })
    expect(await db.byIndex(Note, 'user', 1)).toEqual([{ user: 1, noteNo: 1, text: '5' }])
    expect([runs, db.statistics()]).toMatchObject([2, { conflicts: 1, retries: 1 }])
  })

  it('keeps what two that each read both would break', async () => {
    const { db } = open()
    const [one, two] = await Promise.all([1, 2].map((seller) => db.create(Auction, { seller, best: 1 })))
    const ids = [one, two] as [typeof one & object, typeof two & object]
    // Each takes 1 from its own, if the sum allows it: one after the other, one of both must refuse.
    const take = (own: 0 | 1) =>
      db.run(
        ids.map((id) => Auction.group(id)),
        async (tx) => {
          const both = (await tx.getMany(Auction, ids)) as { seller: number; no: number; best: number }[]
          if (both.reduce((sum, { best }) => sum + best, 0) < 2) return false
          await tx.update(Auction, { ...(both[own] as (typeof both)[number]), best: 0 })
          return true
        },
      )
    expect(new Set(await Promise.all([take(0), take(1)]))).toEqual(new Set([false, true]))
  })
})

describe('a group and a record of another store', () => {
  it('change together, and the group is any that is touched', async () => {
    const { db, counts, all } = open()
    await db.create(Auction, { seller: 1, best: 0 })
    const add = (user: number) =>
      all.run(async (tx) => {
        const { bidNo } = await tx.auction.create(Bid, { ...item, user, amount: 1 })
        await tx.counts.update('bids', (count) => (count ?? 0) + 1)
        return bidNo
      })
    const numbers = await Promise.all(Array.from({ length: 12 }, (_, user) => add(user)))
    expect(new Set(numbers).size).toBe(12)
    expect(await counts.get('bids')).toBe(12)
    expect(await db.byIndex(Bid, ['seller', 'no'], [1, 1])).toHaveLength(12)
    const error = new Error('no')
    const failed = all.run(async (tx) => {
      await tx.counts.set('bids', 0)
      await tx.auction.create(Bid, { ...item, user: 99, amount: 1 })
      throw error
    })
    await expect(failed).rejects.toBe(error)
    expect([await counts.get('bids'), await db.byIndex(Bid, 'user', 99)]).toEqual([12, []])
    expect(await db.sweep({ olderThanMs: 0 })).toMatchObject({ dangling: 0, entries: 24 })
  })
})

describe('is refused in one sentence', () => {
  const both = [Auction.group(item), Note.group({ user: 1 })]
  const forgotten = (tx: { get(type: typeof Note, id: { user: number; noteNo: number }): unknown }) => {
    void tx.get(Note, { user: 1, noteNo: 1 })
    return Promise.resolve()
  }
  it.each<[string, (opened: ReturnType<typeof open>) => unknown]>([
    [
      'This Note is in none of the groups of the transaction. Name its group in the list of run(): Note.group() with its user.',
      ({ db }) => db.run(both, (tx) => tx.get(Note, { user: 2, noteNo: 1 })),
    ],
    ['The list of groups of run() is empty', ({ db }) => db.run([], async () => 1)],
    ['run() takes a group such as', ({ db }) => db.run([both] as never, async () => 1)],
    ['while calls of its transaction were under way', ({ db }) => db.run(both, forgotten)],
    ['while calls of its transaction were under way', ({ all }) => all.run((tx) => forgotten(tx.auction))],
    ['Use tx.delete().', ({ db, all }) => all.run(() => db.delete(Note, { user: 1, noteNo: 1 }))],
    [
      'Name the groups of both in one, as a list',
      ({ db }) => db.run(both, () => db.run(both, async () => 1)),
    ],
  ])('%s', async (message, call) => {
    const called = (async () => call(open()))()
    const expected = { code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) }
    await expect(called).rejects.toMatchObject(expected)
  })

  it('where records take no part in transactions, or groups are native', async () => {
    const plainDb = entities(keyValue(memory()), types)
    await expect(plainDb.run(both, async () => 1)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('Put the layer transactional({ log })'),
    })
    const { log } = open()
    expect(() => transactions({ auction: plainDb, log })).toThrow('lacks the layer transactional()')
    const { db } = open()
    expect(() => transactions({ one: db, two: db, log })).toThrow('one store by two names')
  })
})
