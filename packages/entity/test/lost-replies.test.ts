import { keyValue, passThrough, StoreError, type WriteResult } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type EntityDb, entities } from '../src/index.ts'
import { Account } from './auction-types.ts'

/** What becomes of a write whose reply is lost. */
type Fate = 'came' | 'never came' | 'comes late'

/** A layer that loses the reply of the second write, and does something before the read that follows it. */
function losing(fate: Fate, between: () => Promise<unknown>) {
  let writes = 0
  let isLost = false
  let late: () => unknown = () => undefined
  const layer = passThrough('loses', {
    wrap: (store) => ({
      async read(reads, call) {
        if (isLost) {
          isLost = false
          await between()
        }
        return store.read(reads, call)
      },
      write(mutations, call) {
        if (++writes !== 2) return store.write(mutations, call)
        isLost = true
        if (fate === 'came') void store.write(mutations, call)
        if (fate === 'comes late') late = () => store.write(mutations, call)
        return mutations.map((): WriteResult => new StoreError('OUTCOME_UNKNOWN', 'The reply was lost.'))
      },
    }),
  })
  return { layer, deliver: () => late() }
}

const id = { bank: 'b', no: 1 }

async function add(db: EntityDb, amount: number): Promise<void> {
  await db.run(Account.group(id), async (tx) => {
    const account = await tx.get(Account, id)
    await tx.update(Account, { ...id, balance: (account?.balance ?? Number.NaN) + amount })
  })
}

/** A database that loses the reply of its second commit, and one that does not, over the same records. */
async function opened(fate: Fate, others: number) {
  const store = memory()
  const other = entities(keyValue(store), [Account])
  const between = async (): Promise<void> => {
    for (let i = 0; i < others; i++) await add(other, 100)
  }
  const { layer, deliver } = losing(fate, between)
  const db = entities(keyValue(store, [layer]), [Account])
  await db.create(Account, { ...id, balance: 0 })
  return { db, deliver, balance: async () => (await other.get(Account, id))?.balance }
}

const fates: readonly Fate[] = ['came', 'never came', 'comes late']

test.each(fates)('a commit whose reply is lost takes effect once (%s)', async (fate) => {
  const { db, deliver, balance } = await opened(fate, 0)
  await add(db, 5)
  await deliver()
  expect(await balance()).toBe(5)
  expect(db.statistics()).toMatchObject({ committed: 2, conflicts: 0 })
})

test.each(fates)('so it does beside the commits of others (%s)', async (fate) => {
  const { db, deliver, balance } = await opened(fate, 7)
  await add(db, 5)
  await deliver()
  expect(await balance()).toBe(705)
  expect(db.statistics().conflicts).toBe(fate === 'came' ? 0 : 1)
})

test('more commits of others than a record remembers make it unknown', async () => {
  const { db, balance } = await opened('came', 8)
  await expect(add(db, 5)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(await balance()).toBe(805)
})

test('a record that is older than the commit says nothing about it', async () => {
  const before: unknown[] = []
  let [loses, lags] = [false, 0]
  const lagging = passThrough('lags', {
    wrap: (store) => ({
      async read(reads, call) {
        const found = await store.read(reads, call)
        if (lags-- > 0) return before[0] as typeof found
        before.push(found)
        if (before.length > 3) before.shift()
        return found
      },
      async write(mutations, call) {
        const results = await store.write(mutations, call)
        if (!loses) return results
        loses = false
        lags = 2
        return mutations.map((): WriteResult => new StoreError('OUTCOME_UNKNOWN', 'The reply was lost.'))
      },
    }),
  })
  const db = entities(keyValue(memory(), [lagging]), [Account])
  await db.create(Account, { ...id, balance: 0 })
  for (let i = 0; i < 3; i++) await add(db, 1)
  loses = true
  await add(db, 1)
  expect(await db.get(Account, id)).toMatchObject({ balance: 4 })
})

describe('a group whose first commit loses its reply', () => {
  /** A database whose first commit comes and loses its reply, and others that act before it is asked about. */
  function lostCreation(between: (others: EntityDb) => Promise<unknown>) {
    const store = memory()
    const others = entities(keyValue(store), [Account])
    let loses = true
    const layer = passThrough('loses', {
      wrap: (inner) => ({
        async write(mutations, call) {
          const results = await inner.write(mutations, call)
          if (!loses) return results
          loses = false
          await between(others)
          return mutations.map((): WriteResult => new StoreError('OUTCOME_UNKNOWN', 'The reply was lost.'))
        },
      }),
    })
    return { db: entities(keyValue(store, [layer]), [Account]), others }
  }

  const first = { ...id, balance: 1 }

  test('is made once, whatever comes after it', async () => {
    const { db, others } = lostCreation(async (other) => {
      for (let no = 2; no < 20; no++) await other.create(Account, { ...id, no, balance: 0 })
    })
    await db.create(Account, first)
    expect(await others.get(Account, id)).toEqual(first)
  })

  test.each([
    ['sweeps', (other: EntityDb) => other.sweep({ olderThanMs: 0 })],
    ['clears', (other: EntityDb) => other.clear()],
    [
      'makes it anew',
      (other: EntityDb) => other.clear().then(() => other.create(Account, { ...first, no: 2 })),
    ],
  ])('is not made a second time if another %s it', async (_, act) => {
    const { db, others } = lostCreation(async (other) => {
      await other.delete(Account, id)
      await new Promise((resolve) => setTimeout(resolve, 2)) // younger records stay
      await act(other)
    })
    await expect(db.create(Account, first)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(await others.get(Account, id)).toBeUndefined()
  })
})
