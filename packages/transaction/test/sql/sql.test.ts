import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn, isWhole } from '@unikv/test-kit/vitest'
import { createPool } from 'mysql2'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql, transactions } from '../../src/index.ts'
import { checkStatement } from '../../src/sql/statement.ts'
import { Process } from '../world.ts'
import { type Accounts, accountsOf } from './databases.ts'
import { leavePrepared, recovers, transfer, world } from './recovery.ts'

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Statements that end a transaction, or begin another one. */
const endings = [
  'COMMIT',
  ' rollback',
  'BEGIN',
  'XA END 1',
  'prepare transaction 1',
  'SELECT 1; commit',
  '/* x */ COMMIT',
  '-- x\nCOMMIT',
  '# x\nCOMMIT',
  '/*!50000 COMMIT */',
  "SELECT ';', `;` /* ; */; end",
]
/** Statements that only look like them. */
const others = [
  "SELECT 'a; COMMIT'",
  'SELECT 1 /* ; COMMIT */',
  'SELECT 1 -- ; COMMIT',
  'ROLLBACK TO a',
  'COMMITTED',
]

/** All that holds for each database. */
function behaves(opened: () => Accounts, most: number): void {
  it('changes rows and records together, and sees its own changes alone', async () => {
    const accounts = opened()
    const { pool, read, write } = accounts
    const { db, red } = world(accounts)()
    const seen = await db.run(async (tx) => {
      await tx.red.set('a', 1)
      await write(tx.shop, 'a', 2)
      return [await read(tx.shop, 'a'), await red.get('a')]
    })
    expect([...seen, await red.get('a'), await read(pool, 'a')]).toEqual([2, undefined, 1, 2])
  })

  it('changes nothing when its function throws, or does not wait for its calls', async () => {
    const accounts = opened()
    const { pool, read, write } = accounts
    const { db } = world(accounts)()
    const own = new Error('no')
    const thrown = db.run(async (tx) => {
      await write(tx.shop, 'b', 1)
      throw own
    })
    expect(await errorOf(thrown)).toBe(own)
    const forgotten = db.run(async (tx) => {
      await write(tx.shop, 'b', 1)
      void write(tx.shop, 'b', 2).catch(() => {})
    })
    expect(await errorOf(forgotten)).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await read(pool, 'b')).toBeUndefined()
  })

  it('alone in its database needs no log, also after a look at a record', async () => {
    const accounts = opened()
    const process = new Process()
    const { db, red, log } = world(accounts)(process)
    await red.set('c', 1)
    await db.run((tx) => accounts.write(tx.shop, 'c', 1))
    await db.run(async (tx) => accounts.write(tx.shop, 'c', ((await tx.red.get('c')) as number) + 1))
    const ids: string[] = []
    for await (const id of log.keys()) ids.push(id)
    expect([ids, await accounts.read(accounts.pool, 'c')]).toEqual([[], 2])
  })

  it('runs again when a record that it looked at was changed', async () => {
    const accounts = opened()
    const { db, red } = world(accounts)()
    let runs = 0
    await db.run(async (tx) => {
      const found = await tx.red.get('d')
      if (runs++ === 0) await red.set('d', 5)
      await accounts.write(tx.shop, 'd', found ?? 0)
    })
    expect([runs, await accounts.read(accounts.pool, 'd')]).toEqual([2, 5])
  })

  it('loses nothing among many who change the same', async () => {
    const accounts = opened()
    const open = world(accounts)
    const { red } = open()
    await red.set('e', 100)
    await accounts.write(accounts.pool, 'e', 0)
    await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const own = open()
        for (let i = 0; i < 5; i++) await transfer(accounts, own, 'e')
      }),
    )
    expect([await red.get('e'), await accounts.read(accounts.pool, 'e')]).toEqual([-100, 200])
  })

  it('refuses what would end it, and callbacks', async () => {
    const accounts = opened()
    const { db } = world(accounts)()
    for (const text of endings)
      expect(await errorOf(db.run((tx) => accounts.ask(tx.shop, text)))).toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    for (const text of others) expect(() => checkStatement([text])).not.toThrow()
    const called = db.run((tx) => (tx.shop as Pool).query('SELECT 1', (() => {}) as never) as never)
    expect(await errorOf(called)).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('leaves alone what transactions of another log have prepared', async () => {
    const accounts = opened()
    const other = world(accounts)
    await leavePrepared(accounts, other, 'f')
    expect(await world(accounts)().db.recover({ leaseMs: 1 })).toMatchObject({
      committed: 0,
      aborted: 0,
      left: [],
    })
    expect(await accounts.prepared()).toHaveLength(1)
    expect(await other().db.recover({ leaseMs: 1 })).toMatchObject({ aborted: 1, left: [] })
    expect(await accounts.prepared()).toEqual([])
  })

  it('gets through to rows that a dead one has prepared', async () => {
    const accounts = opened()
    const open = world(accounts)
    await leavePrepared(accounts, open, 'g')
    expect(await transfer(accounts, open(), 'g')).toBe('moved')
    expect(await accounts.read(accounts.pool, 'g')).toBe(10)
  })

  if (most > 0 || isWhole) describe('recovers:', () => recovers(opened, most))
}

describeWithOwn('postgres', () => {
  let server: Awaited<ReturnType<typeof ownServer>>
  let accounts: Accounts
  beforeAll(async () => {
    server = await ownServer('postgres', { args: ['-c', 'max_prepared_transactions=20'] })
    accounts = await accountsOf('pg', server.url)
  })
  afterAll(async () => {
    await accounts.close()
    await server.stop()
  })

  behaves(() => accounts, 3)

  it('runs again after a conflict that its function has caught', async () => {
    const { pool, read, write } = accounts
    const { db } = world(accounts)()
    await write(pool, 'h', 1)
    let runs = 0
    await db.run(async (tx) => {
      const found = await read(tx.shop, 'h')
      if (runs++ === 0) await write(pool, 'h', 5)
      await write(tx.shop, 'h', (found ?? 0) + 1).catch(() => {})
    })
    expect([runs, await read(pool, 'h'), db.statistics().conflicts]).toEqual([2, 6, 1])
  })

  it('changes nothing if its function goes on after a statement that failed', async () => {
    const { ask, pool, read, write } = accounts
    const { db, red } = world(accounts)()
    for (const isAlone of [true, false]) {
      const work = db.run(async (tx) => {
        if (!isAlone) await tx.red.set('i', 1)
        await write(tx.shop, 'i', 1)
        await ask(tx.shop, 'SELECT 1 / 0').catch(() => {})
      })
      expect(await errorOf(work)).toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
    expect([await red.get('i'), await read(pool, 'i')]).toEqual([undefined, undefined])
  })

  it('keeps what was prepared when the server is killed', async () => {
    const open = world(accounts)
    await leavePrepared(accounts, open, 'j')
    await server.kill()
    await server.restart()
    expect(await accounts.prepared()).toHaveLength(1)
    expect(await open().db.recover({ leaseMs: 1 })).toMatchObject({ aborted: 1, left: [] })
    expect(await transfer(accounts, open(), 'j')).toBe('moved')
  })
})

describeWith('postgres', (url) => {
  it('tells that a server cannot prepare before anything is changed', async () => {
    const accounts = await accountsOf('pg', url)
    const { db, red, log } = world(accounts)()
    const work = db.run(async (tx) => {
      await tx.red.set('a', 1)
      await accounts.write(tx.shop, 'a', 1)
    })
    const error = await errorOf(work)
    expect(error).toMatchObject({ code: 'INVALID_CONFIG' })
    expect(String(error)).toContain('max_prepared_transactions')
    expect([await red.get('a'), await accounts.read(accounts.pool, 'a')]).toEqual([undefined, undefined])
    for await (const id of log.keys()) expect.unreachable(id)
    // Alone it prepares nothing.
    await db.run((tx) => accounts.write(tx.shop, 'a', 2))
    expect(await accounts.read(accounts.pool, 'a')).toBe(2)
    await accounts.close()
  })
})

describeWith('mariadb', (url) => {
  describe.each(['mysql2', 'mariadb'] as const)('by the driver %s', (driver) => {
    let accounts: Accounts
    beforeAll(async () => {
      accounts = await accountsOf(driver, url)
    })
    afterAll(() => accounts.close())
    behaves(() => accounts, driver === 'mysql2' ? 2 : 0)
  })
})

it('refuses what is not a pool with promises, and one pool twice', () => {
  const log = keyValue(memory(), [json()])
  const pool = new Pool()
  for (const work of [
    () => sql({} as never),
    () => sql(createPool({}) as never),
    () => sql(pool, { isolation: 'dirty' as never }),
    () => transactions({ a: sql(pool), b: sql(pool), log }),
  ])
    expect(work).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})
