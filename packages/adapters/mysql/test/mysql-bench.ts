import { randomBytes } from 'node:crypto'
import {
  isStoreError,
  type Mutation,
  newVersion,
  type Store,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import { afterAll, afterEach } from 'vitest'
import { type MysqlOptions, type MysqlStore, mysql, prepareMysql } from '../src/index.ts'

/** A table name that no other test uses. */
export function freshTable(): string {
  return `t_${randomBytes(8).toString('hex')}`
}

/** The clients that the same suites run on. */
export const drivers = ['mysql2', 'mariadb'] as const

/** What a group of tests works with on one server: stores over fresh tables, and a client behind their backs. */
export interface Bench {
  /** mysql2 itself. */
  readonly sql: Pool
  /** A table of its own, made now and removed at the end. */
  table(options?: MysqlOptions): Promise<string>
  /** A store that is closed after the test. */
  store<const O extends MysqlOptions>(options: O): MysqlStore<O>
  /** A pool of mysql2 that is closed after the test. */
  pool(options?: PoolOptions): Pool
}

/** Call it inside `describe`: it cleans up after each test, and after all. */
export function mysqlBench(url: string): Bench {
  const sql = createPool({ uri: url, connectionLimit: 4 })
  const tables: string[] = []
  const opened: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    for (const table of tables) await sql.query(`DROP TABLE IF EXISTS \`${table}\``)
    await sql.end()
  })
  return {
    sql,
    async table(options = {}) {
      const table = freshTable()
      tables.push(table)
      await prepareMysql({ url, ...options, table })
      return table
    },
    store(options) {
      const store = mysql(options)
      opened.push(() => store.close())
      return store
    },
    pool(options = {}) {
      const pool = createPool({ uri: url, ...options })
      opened.push(() => pool.end())
      return pool
    },
  }
}

/** One mutation, straight to the store. */
export async function mutate<V>(
  store: Store<V>,
  mutation: Unversioned<Mutation<V>>,
  timeoutMs = 10_000,
): Promise<WriteResult> {
  const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
  const full = { version: newVersion(), ...mutation } as Mutation<V>
  return (await store.write([full], call))[0] as WriteResult
}

/** The code of the error that came instead of a result, thrown or not; `undefined` if none came. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const result = await work.catch((error: unknown) => error)
  return isStoreError(result) ? result.code : undefined
}

/** Sends each call by itself. */
export const apart = { coalesce: false } as const

type Unversioned<M> = M extends unknown ? Omit<M, 'version'> & { readonly version?: Version } : never
