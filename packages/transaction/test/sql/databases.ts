import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import type { SqlPool } from '../../src/index.ts'
import type { Process } from '../world.ts'

/** A table of accounts, by one driver. */
export interface Accounts {
  readonly pool: SqlPool
  /** The balance of an account, by a pool or a transaction. */
  readonly read: (by: Asking, id: string) => Promise<number | undefined>
  /** Set the balance of an account, which need not be there. */
  readonly write: (by: Asking, id: string, balance: number) => Promise<void>
  /** Any statement, `?` for each value. Resolves to rows. */
  readonly ask: (by: Asking, text: string, values?: readonly unknown[]) => Promise<readonly Row[]>
  /** Names of what is prepared. */
  readonly prepared: () => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

/** Whoever has `query`, as drivers type it. */
export type Asking = object

type Row = Readonly<Record<string, unknown>>
type Query = (text: string, values?: readonly unknown[]) => Promise<unknown>

const settings = { connectionLimit: 20, connectTimeout: 5000 }

/** An empty table in a database. */
export async function accountsOf(driver: 'pg' | 'mysql2' | 'mariadb', url: string): Promise<Accounts> {
  const table = `accounts_of_${driver}`
  const isPg = driver === 'pg'
  const pool = isPg ? postgresPool(url) : mysqlPool(driver, url)
  const ask: Accounts['ask'] = async (by, text, values = []) => {
    let count = 0
    const own = isPg ? text.replaceAll('?', () => `$${++count}`) : text
    return rowsOf(await (by as { query: Query }).query(own, values))
  }
  await ask(pool, `DROP TABLE IF EXISTS ${table}`)
  await ask(pool, `CREATE TABLE ${table} (id varchar(100) PRIMARY KEY, balance int NOT NULL)`)
  const onto = isPg
    ? 'ON CONFLICT (id) DO UPDATE SET balance = EXCLUDED.balance'
    : 'ON DUPLICATE KEY UPDATE balance = VALUES(balance)'
  const list = isPg ? 'SELECT gid AS data FROM pg_prepared_xacts' : 'XA RECOVER'
  return {
    pool,
    ask,
    read: async (by, id) =>
      (await ask(by, `SELECT balance FROM ${table} WHERE id = ?`, [id]))[0]?.['balance'] as
        | number
        | undefined,
    write: async (by, id, balance) =>
      void (await ask(by, `INSERT INTO ${table} VALUES (?, ?) ${onto}`, [id, balance])),
    prepared: async () => (await ask(pool, list)).map(({ data }) => String(data)),
    close: () => pool.end(),
  }
}

/** Of pg, of mysql2, or of mariadb. */
function rowsOf(answer: unknown): readonly Row[] {
  const [first] = Array.isArray(answer) ? answer : [(answer as { rows: Row[] }).rows]
  return (Array.isArray(first) ? first : answer) as readonly Row[]
}

function postgresPool(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 20 })
  return pool.on('error', () => {})
}

function mysqlPool(
  driver: 'mysql2' | 'mariadb',
  url: string,
): ReturnType<typeof createPool | typeof createMariadbPool> {
  return driver === 'mysql2'
    ? createPool({ uri: url, ...settings })
    : createMariadbPool({ ...addressOf(url), ...settings })
}

function addressOf(url: string): { host: string; port: number; user: string; database: string } {
  const { hostname, port, username, pathname } = new URL(url)
  return { host: hostname, port: Number(port), user: username, database: pathname.slice(1) }
}

interface Lent {
  query(...args: unknown[]): Promise<unknown>
  execute?(...args: unknown[]): Promise<unknown>
  release(isSpoilt?: boolean): unknown
  destroy?(): void
  readonly threadId?: unknown
  on?(event: string, listener: () => void): unknown
}

/** The pool as a process reaches it: each statement is a step, and its connections end when it is gone. */
export function poolThrough<P extends SqlPool>(pool: P, process: Process): P {
  const given = pool as unknown as { connect?(): Promise<Lent>; getConnection?(): Promise<Lent> }
  const lend = async (): Promise<Lent> => {
    const lent = await (given.getConnection === undefined ? given.connect?.() : given.getConnection())
    return new Wire(lent as Lent, process)
  }
  const methods =
    given.getConnection === undefined ? { connect: lend, totalCount: 0 } : { getConnection: lend }
  return { ...methods, on: () => {}, query: () => {}, execute: () => {} } as unknown as P
}

/** A pool lends each connection again and again. */
const heard = new WeakSet<Lent>()

class Wire implements Lent {
  readonly #lent: Lent
  readonly #process: Process
  #isBack = false
  /** A statement that is still on its way. */
  #isLate = false

  constructor(lent: Lent, process: Process) {
    this.#lent = lent
    this.#process = process
    void process.gone.then(() => this.#close())
  }

  get threadId(): unknown {
    return this.#lent.threadId
  }

  on(event: string, listener: () => void): void {
    if (heard.has(this.#lent)) return
    heard.add(this.#lent)
    this.#lent.on?.(event, listener)
  }

  async query(...args: unknown[]): Promise<unknown> {
    if (this.#isBack || this.#isLate) throw cutOff()
    const { length } = this.#process.late
    const work = () => this.#lent.query(...args)
    try {
      return await this.#process.take('write', work)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'OUTCOME_UNKNOWN') throw error
      if (this.#process.late.length > length) this.#arriveLate(work)
      else this.#close()
      throw cutOff()
    }
  }

  /** The server gets it long after, and then sees that the connection has ended. */
  #arriveLate(work: () => Promise<unknown>): void {
    this.#isLate = true
    this.#process.late.splice(-1, 1, async () => {
      await work().catch(() => {})
      this.#isLate = false
      this.#close()
    })
  }

  release(isSpoilt = false): void {
    if (isSpoilt) return this.#close()
    if (this.#isBack) return
    this.#isBack = true
    this.#lent.release()
  }

  destroy(): void {
    this.#close()
  }

  #close(): void {
    if (this.#isBack || this.#isLate) return
    this.#isBack = true
    if (this.#lent.destroy === undefined) this.#lent.release(true)
    else this.#lent.destroy()
  }
}

function cutOff(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}
