import { mysql } from '@unikv/mysql'
import { postgres } from '@unikv/postgres'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { micro, microModels } from '../../src/session/micro/benchmark.ts'
import { microBySql, microTables } from '../../src/session/micro/by-sql.ts'
import { microSqlPopulation } from '../../src/session/micro/population.ts'
import { populate } from '../../src/session/run/populate.ts'
import { runSessions } from '../../src/session/run/run-sessions.ts'
import { mysqlDb } from '../../src/session/sql/mysql.ts'
import { postgresDb } from '../../src/session/sql/postgres.ts'
import type { SqlDb } from '../../src/session/sql/sql-db.ts'

const prefix = `micro_${process.pid}`
const benchmark = micro(microBySql)

function onSql(db: SqlDb, close: () => Promise<void>): void {
  beforeEach(async () => {
    await db.drop()
    await db.create()
  })
  afterAll(async () => {
    await db.drop()
    await close()
  })

  const sumOf = async (table: string): Promise<number> => {
    const [row] = await db.rows<{ sum: unknown }>(`SELECT SUM("updates") AS "sum" FROM {${table}}`)
    return Number(row?.sum)
  }
  const run = (name: string, parameters: Record<string, number>, sessions: number, operations: number) => {
    const model = { transitions: microModels[name]!, parameters }
    return runSessions({ benchmark, model, db, sessions, operations, statistics: () => db.statistics() })
  }

  test('sessions of every model of Micro run without an error', async () => {
    const parameters = { USER_NUM: 5, SET_NUM: 2, ITEMS_PER_SET: 6, ITEMS_PER_USER: 4, POSTS_PER_USER: 3 }
    await populate(db, microSqlPopulation({ ...parameters, SUBMISSIONS_PER_USER: 2 }))
    for (const name of Object.keys(microModels)) {
      const { sample, modes } = await run(name, parameters, 4, 120)
      expect([name, sample.errors, sample.firstError]).toEqual([name, 0, null])
      expect(modes['UPDATE_ITEM']?.['EMPTY_RESULT']).toBeUndefined()
    }
  })

  test('no update is lost where sessions collide', async () => {
    const parameters = { SET_NUM: 1, ITEMS_PER_SET: 2, USER_NUM: 2, CONTENT_LENGTH: 5 }
    await populate(db, microSqlPopulation(parameters))
    const { sample, statistics } = await run('shared-put', parameters, 8, 160)
    expect([sample.errors, sample.firstError]).toEqual([0, null])
    expect(await sumOf('Shared')).toBe(160)
    expect(statistics['committed']).toBe(160)
  })

  test('the loser of a deadlock runs again, and both take effect once', async () => {
    await populate(db, microSqlPopulation({ SET_NUM: 1, ITEMS_PER_SET: 2, USER_NUM: 1 }))
    const before = db.statistics()
    const add = 'UPDATE {Shared} SET "updates" = "updates" + 1 WHERE "number" = ?'
    let waiting = 2
    let meet: () => void = () => {}
    const met = new Promise<void>((resolve) => (meet = resolve))
    const both = [1, 2].map((first) =>
      db.run(async (sql) => {
        await sql.change(add, [first])
        if (--waiting === 0) meet()
        await met
        await sql.change(add, [3 - first])
      }),
    )
    await Promise.all(both)
    expect(await sumOf('Shared')).toBe(4)
    const after = db.statistics()
    expect(after.committed - before.committed).toBe(2)
    expect(after.conflicts - before.conflicts).toBeGreaterThan(0)
    expect(after.retries - before.retries).toBe(after.conflicts - before.conflicts)
  })

  test('a transaction that fails changes nothing, and its connection is as good as new', async () => {
    await populate(db, microSqlPopulation({ SET_NUM: 1, ITEMS_PER_SET: 2, USER_NUM: 1 }))
    const failing = db.run(async (sql) => {
      await sql.change('UPDATE {Shared} SET "updates" = ?', [7])
      throw new TypeError('no such page')
    })
    await expect(failing).rejects.toThrow(new TypeError('no such page'))
    expect(await sumOf('Shared')).toBe(0)
    expect(await db.run((sql) => sql.change('UPDATE {Shared} SET "updates" = ?', [1]))).toBe(2)
    expect(await sumOf('Shared')).toBe(2)
  })

  test('a transaction whose function goes on after a statement that failed has failed, too', async () => {
    await populate(db, microSqlPopulation({ SET_NUM: 1, ITEMS_PER_SET: 2, USER_NUM: 1 }))
    const set = 'UPDATE {Shared} SET "updates" = ?'
    const { committed, conflicts } = db.statistics()
    let after: unknown
    const deaf = db.run(async (sql) => {
      await sql.change(set, [7])
      await sql.rows('SELECT "nothing" FROM {Shared}').catch(() => {})
      after = await sql.change(set, [8]).catch((error: Error) => error.message)
    })
    await expect(deaf).rejects.toThrow(/nothing/)
    expect(after).toMatch(/nothing/)
    expect(await sumOf('Shared')).toBe(0)
    expect(db.statistics()).toMatchObject({ committed, conflicts })
  })

  test('numbers of the database do not meet those of the population', async () => {
    await populate(db, microSqlPopulation({ USER_NUM: 1, ITEMS_PER_USER: 3, SET_NUM: 1 }))
    const item = { owner: 1, content: 'a', updates: 0 }
    const [first, second] = [await db.insert(microTables[0]!, item), await db.insert(microTables[0]!, item)]
    expect(first).toBeGreaterThan(1_000_000)
    expect(second).toBe(first + 1)
  })
}

describeWith('postgres', (url) => {
  const store = postgres({ url, maxConnections: 8 })
  const db = postgresDb(store.native, { tables: microTables, prefix })
  onSql(db, () => store.close())
})

describeWith('mariadb', (url) => {
  const store = mysql({ url, maxConnections: 8 })
  const db = mysqlDb(store.native, { tables: microTables, prefix })
  onSql(db, () => store.close())
})
