import { groupNetwork, groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import { codeOf, faultProxy } from '@unikv/test-kit'
import { freshTable } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { createPool } from 'mysql2/promise'
import { afterAll, describe, expect, test } from 'vitest'
import { type MysqlOptions, type MysqlStore, mysql, prepareMysql } from '../src/index.ts'
import { drivers } from './mysql-bench.ts'

describeWith('mariadb', (url) => {
  const sql = createPool({ uri: url, connectionLimit: 1 })
  const tables: string[] = []
  afterAll(async () => {
    for (const table of tables) await sql.query(`DROP TABLE IF EXISTS \`${table}\`, \`${table}_groups\``)
    await sql.end()
  })

  interface Opened extends OpenedGroupStore {
    readonly options: MysqlOptions
  }

  function over(options: MysqlOptions): Opened {
    const store: MysqlStore = mysql(options)
    if (store.groups === undefined) throw new Error('The store has no groups.')
    return { groups: store.groups, close: () => store.close(), options }
  }

  async function fresh(options: MysqlOptions = {}): Promise<Opened> {
    const table = freshTable()
    tables.push(table)
    await prepareMysql({ url, table })
    return over({ url, ...options, table, prepare: true })
  }

  const reopen = (opened: OpenedGroupStore): Opened => over((opened as Opened).options)

  for (const driver of drivers) {
    const topics = driver === drivers[0] ? undefined : /^(reads|ranges|commits|ends)/
    describe(`by ${driver}`, () =>
      groupTransactions({ test, describe, topics, open: () => fresh({ driver }), reopen }))
  }

  describe('with reads locked for one alone', () =>
    groupTransactions({
      test,
      describe,
      topics: /^(commits|conflicts|ends|many)/,
      open: () => fresh({ lockReads: true }),
      reopen,
    }))

  test('a wait for a lock that is given up ends in the server too', async () => {
    const opened = await fresh({ lockReads: true })
    const { groups, options } = opened
    const call = (timeoutMs: number) => ({ deadlineAt: performance.now() + timeoutMs })
    const waiting = async (): Promise<number> => {
      const [rows] = await sql.query('SELECT info FROM information_schema.processlist WHERE info LIKE ?', [
        `%\`${options.table}_groups\`%FOR UPDATE%`,
      ])
      return (rows as readonly { readonly info: string }[]).filter(({ info }) => !info.includes('LIKE'))
        .length
    }
    const holder = await groups.begin('g', call(60_000))
    await holder.get(['k'])
    await holder.commit([{ key: 'k', value: Buffer.from('1') }])
    const next = await groups.begin('g', call(60_000))
    await next.get(['k'])
    const late = await groups.begin('g', call(200))
    expect(await codeOf(Promise.resolve(late.get(['k'])))).toBe('TIMEOUT')
    // By itself it would go on for the 50 s of innodb_lock_wait_timeout.
    await expect.poll(waiting, { timeout: 30_000 }).toBe(0)
    await late.rollback()
    await next.rollback()
    await opened.close()
  })

  describe('behind a network', () => {
    const open = async (behind: string): Promise<Opened> => fresh({ url: behind })
    const direct = (opened: OpenedGroupStore): Opened => over({ ...(opened as Opened).options, url })
    groupNetwork({ test, describe, proxy: () => faultProxy(url), open, direct })
  })
})
