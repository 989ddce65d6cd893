import {
  bounded,
  callOptions,
  isStoreError,
  leftMs,
  ms,
  type OptionsOf,
  oneOf,
  readOptions,
  StoreError,
} from '@unikv/core/adapter'
import { monotonicClock, pause } from '@unikv/core/platform'
import type { Ending } from '../log/log.ts'
import type { Dialect, Found, Session, SqlIsolation } from './dialect.ts'
import { type MysqlPool, mysqlDialect } from './mysql.ts'
import { type PostgresPool, postgresDialect } from './postgres.ts'

/** A pool whose connections give promises: of `pg`, `mysql2/promise` or `mariadb`. */
export type SqlPool = PostgresPool | MysqlPool

const table = {
  /** Isolation of the transactions in the database. @default 'serializable'; 'repeatable read' in a run with `isolation: 'snapshot'` */
  isolation: oneOf<SqlIsolation, undefined>(undefined, ['serializable', 'repeatable read', 'read committed']),
  /**
   * A statement that waits for so long looks for transactions that were left prepared, and finishes those that have been undecided for so
   * long, in milliseconds. @default 5,000
   */
  leaseMs: ms(5_000),
}

/** Options of `sql`. */
export interface SqlOptions extends OptionsOf<typeof table> {}

/** A database that takes part in transactions with SQL of the program's own. */
export interface SqlDatabase<P> {
  readonly pool: P
}

/** So often the connection that holds a prepared transaction may end by itself. */
const patience = 8

/**
 * A database of PostgreSQL, MySQL or MariaDB that takes part in transactions by its own two-phase commit, with SQL of the program's own.
 *
 * ```ts
 * const db = transactions({ accounts, shop: sql(new pg.Pool()), log })
 * await db.run(async (tx) => {
 *   await tx.accounts.update('ada', (balance = 0) => balance - 10)
 *   await tx.shop.query('UPDATE orders SET paid = $1 WHERE id = $2', [10, 1])
 * })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function sql<P extends SqlPool>(pool: P, options: SqlOptions = {}): SqlDatabase<P> {
  const { isolation, leaseMs } = readOptions('sql', table, options)
  return new Source(pool, dialectOf(pool), isolation, leaseMs)
}

function dialectOf(pool: SqlPool): Dialect {
  if (typeof pool === 'object' && pool !== null) {
    const { getConnection, connect, promise } = pool as unknown as Readonly<Record<string, unknown>>
    if (typeof getConnection === 'function' && promise === undefined) return mysqlDialect(pool as MysqlPool)
    if (typeof connect === 'function' && 'totalCount' in pool) return postgresDialect(pool)
  }
  throw new StoreError(
    'INVALID_CONFIG',
    'sql() needs a pool with promises: new Pool() of pg, or createPool() of mysql2/promise or mariadb.',
  )
}

/** A database, as transactions see it. */
export class Source<P = unknown> implements SqlDatabase<P> {
  readonly pool: P
  readonly dialect: Dialect
  readonly isolation: SqlIsolation | undefined
  readonly leaseMs: number
  /** When this process first met a prepared transaction, by its name. */
  #met = new Map<string, number>()
  #isChecked = false

  constructor(pool: P, dialect: Dialect, isolation: SqlIsolation | undefined, leaseMs: number) {
    this.pool = pool
    this.dialect = dialect
    this.isolation = isolation
    this.leaseMs = leaseMs
  }

  /** @throws {StoreError} `UNAVAILABLE` if the pool has none */
  async lend(call: Ending): Promise<Session> {
    let lending: Promise<Session> | undefined
    const lend = (): Promise<Session> => {
      lending = this.dialect.lend()
      return lending
    }
    const giveBack = (): void => void lending?.then((session) => session.release()).catch(() => {})
    try {
      return await bounded(optionsOf(call), false, lend, giveBack)
    } catch (cause) {
      if (isStoreError(cause)) throw cause
      const message = 'The pool of an SQL database gave no connection; nothing was changed.'
      throw new StoreError('UNAVAILABLE', message, { cause })
    }
  }

  /** Ask something by a connection. At the deadline it is cut. */
  ask<T>(session: Session, call: Ending, work: () => Promise<T>): Promise<T> {
    return bounded(optionsOf(call), false, work, () => session.cut())
  }

  /** Do something by a connection of its own. */
  async with<T>(call: Ending, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.lend(call)
    try {
      const answer = await this.ask(session, call, () => work(session))
      session.release()
      return answer
    } catch (error) {
      session.cut()
      throw error
    }
  }

  /** Whether the server can prepare at all, until it could. @throws {StoreError} `INVALID_CONFIG`, `ACCESS_DENIED` */
  async check(session: Session, call: Ending): Promise<void> {
    if (this.#isChecked) return
    await this.ask(session, call, () => this.dialect.check(session))
    this.#isChecked = true
  }

  /** All that is prepared by transactions of unikv, also of those with another log. */
  async prepared(call: Ending): Promise<readonly (Found & { readonly ageMs: number })[]> {
    const all = await this.with(call, (session) => this.dialect.prepared(session))
    const now = monotonicClock()
    this.#met = new Map(all.map(({ gid }) => [gid, this.#met.get(gid) ?? now]))
    return all.map((found) => ({
      ...found,
      ageMs: found.ageMs ?? now - (this.#met.get(found.gid) as number),
    }))
  }

  /**
   * Commit what is prepared, or roll it back. Resolves to whether nothing of it is left before the deadline. `isOurs`: the connection that
   * prepared it has failed, and is not waited for.
   */
  async settle(gid: string, isCommitted: boolean, call: Ending, isOurs = false): Promise<boolean> {
    for (let count = 0; ; count++) {
      const waitMs = Math.min(200, 10 * 2 ** count)
      try {
        if (
          await this.with(call, (session) =>
            this.#settled(session, gid, isCommitted, isOurs || count >= patience),
          )
        )
          return true
      } catch (error) {
        if (leftMs(optionsOf(call)) < waitMs) throw error
      }
      if (leftMs(optionsOf(call)) < waitMs) return false
      await pause(waitMs, { signal: call.signal })
    }
  }

  async #settled(session: Session, gid: string, isCommitted: boolean, isOver: boolean): Promise<boolean> {
    try {
      await this.dialect.finish(session, gid, isCommitted)
      return true
    } catch (error) {
      if (this.dialect.meaning(error) !== 'gone') throw error
    }
    const found = (await this.dialect.prepared(session)).find((one) => one.gid === gid)
    if (found !== undefined && isOver) await this.dialect.free?.(session, found)
    return found === undefined
  }
}

function optionsOf({ deadlineAt, signal }: Ending): ReturnType<typeof callOptions> {
  return callOptions({ deadlineAt, signal })
}
