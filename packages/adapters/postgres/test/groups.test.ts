import { groupNetwork, groupTransactions, type OpenedGroupStore } from '@unikv/conformance'
import { faultProxy } from '@unikv/test-kit'
import { freshTable } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import pg from 'pg'
import { afterAll, describe, test } from 'vitest'
import { type PostgresOptions, type PostgresStore, postgres, preparePostgres } from '../src/index.ts'

describeWith('postgres', (url) => {
  const sql = new pg.Pool({ connectionString: url, max: 1 })
  const tables: string[] = []
  afterAll(async () => {
    for (const table of tables) await sql.query(`DROP TABLE IF EXISTS ${table}, ${table}_groups`)
    await sql.end()
  })

  interface Opened extends OpenedGroupStore {
    readonly options: PostgresOptions
  }

  function over(options: PostgresOptions): Opened {
    const store: PostgresStore = postgres(options)
    if (store.groups === undefined) throw new Error('The store has no groups.')
    return { groups: store.groups, close: () => store.close(), options }
  }

  async function fresh(options: PostgresOptions = {}): Promise<Opened> {
    const table = freshTable()
    tables.push(table)
    await preparePostgres({ url, table })
    return over({ ...('pool' in options ? {} : { url }), ...options, table, prepare: true })
  }

  const reopen = (opened: OpenedGroupStore): Opened => over((opened as Opened).options)

  describe('optimistic', () => groupTransactions({ test, describe, open: () => fresh(), reopen }))

  describe('with locked reads', () =>
    groupTransactions({
      test,
      describe,
      topics: /^(commits|conflicts|ends|many)/,
      open: () => fresh({ lockReads: true }),
      reopen,
    }))

  describe('by a pool that was handed in, without named statements', () => {
    const pool = new pg.Pool({ connectionString: url })
    afterAll(() => pool.end())
    groupTransactions({
      test,
      describe,
      topics: /^(reads|ranges|commits|ends)/,
      open: () => fresh({ pool, namedStatements: false }),
      reopen,
    })
  })

  describe('behind a network', () => {
    const open = async (behind: string): Promise<Opened> => fresh({ url: behind })
    const direct = (opened: OpenedGroupStore): Opened => over({ ...(opened as Opened).options, url })
    groupNetwork({ test, describe, proxy: () => faultProxy(url), open, direct })
  })
})
