import { StoreError } from '@unikv/core/adapter'
import { type Answer, callOf, type Dialect, type Found, type Meaning, type Session } from './dialect.ts'

/** A pool with promises, of `mysql2/promise` or `mariadb`. */
export interface MysqlPool {
  /** A connection of the pool. */
  getConnection(): Promise<MysqlConnection>
}

interface MysqlConnection {
  /** A `bigint` by some versions of the driver `mariadb`. */
  readonly threadId: unknown
  query(options: MysqlStatement): Promise<unknown>
  release(): unknown
  destroy(): void
}

interface MysqlStatement {
  sql: string
  rowsAsArray: boolean
  nestTables: boolean
}

/** A deadlock, a lock that was not given in time, a record that changed since the snapshot, and what XA says of these afterwards. */
const conflicts: ReadonlySet<unknown> = new Set([1213, 1205, 1020, 1402, 1613, 1614])
/** The end of a connection, told by the server. */
const goodbyes: ReadonlySet<unknown> = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1927, 4031])
const unknownXid = 1397

/**
 * Two-phase commit by MySQL and MariaDB: XA. A prepared transaction may stay with its connection until that ends, so its name tells the
 * number of this connection.
 */
export function mysqlDialect(pool: MysqlPool): Dialect {
  return {
    lend: async () => new MysqlSession(await pool.getConnection()),
    gid: ({ thread }, id, part) => `'unikv:${id}','${part}:${thread}',1`,
    async begin(session, gid, { isolation, lockMs }) {
      // There is none for a transaction alone: `release` sets it back.
      await session.ask(`SET SESSION innodb_lock_wait_timeout = ${Math.ceil(lockMs / 1000)}`)
      await session.ask(`SET TRANSACTION ISOLATION LEVEL ${isolation.toUpperCase()}`)
      await session.ask(`XA START ${gid}`)
    },
    async prepare(session, gid) {
      await session.ask(`XA END ${gid}`)
      await session.ask(`XA PREPARE ${gid}`)
    },
    async commit(session, gid) {
      await session.ask(`XA END ${gid}`)
      await session.ask(`XA COMMIT ${gid} ONE PHASE`)
    },
    async rollback(session, gid) {
      // It may have ended already.
      await session.ask(`XA END ${gid}`).catch(() => {})
      await session.ask(`XA ROLLBACK ${gid}`)
    },
    finish: async (session, gid, isCommitted) =>
      void (await session.ask(`XA ${isCommitted ? 'COMMIT' : 'ROLLBACK'} ${gid}`)),
    prepared,
    free: async (session, { thread }) => void (await session.ask(`KILL ${thread}`)),
    check,
    meaning,
  }
}

/** Others in this server are passed by. */
async function prepared(session: Session): Promise<readonly Found[]> {
  const { rows } = await session.ask('XA RECOVER')
  return rows.flatMap(({ data }) => {
    const [, id, part, thread] = /^unikv:([0-9a-f]{24})(\d+):(\d+)$/.exec(String(data)) ?? []
    return id === undefined || thread === undefined
      ? []
      : [{ id, gid: `'unikv:${id}','${part}:${thread}',1`, thread }]
  })
}

/** Older ones roll back what is prepared when its connection ends, also after the transaction was committed. */
async function check(session: Session): Promise<void> {
  const { rows } = await session.ask('SELECT VERSION() AS version')
  const version = String(rows[0]?.['version'])
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = /mariadb/i.test(version) ? major > 10 || (major === 10 && minor >= 5) : major >= 8
  if (!isNew)
    throw new StoreError(
      'INVALID_CONFIG',
      `The server (${version}) loses prepared transactions with their connection; nothing was changed. Use MySQL 8.0, MariaDB 10.5 or later.`,
    )
  await session.ask('XA RECOVER').catch((cause: unknown) => {
    const message =
      'The user cannot list prepared transactions (XA RECOVER); nothing was changed. Grant it XA_RECOVER_ADMIN.'
    throw new StoreError('ACCESS_DENIED', message, { cause })
  })
}

function meaning(error: unknown): Meaning {
  const { errno } = (error ?? {}) as { readonly errno?: unknown }
  if (conflicts.has(errno)) return 'conflict'
  if (errno === unknownXid) return 'gone'
  return typeof errno === 'number' && errno > 0 && !goodbyes.has(errno) && errno < 45_000 ? 'told' : 'lost'
}

class MysqlSession implements Session {
  readonly thread: string
  readonly #connection: MysqlConnection
  #isBack = false

  constructor(connection: MysqlConnection) {
    this.#connection = connection
    this.thread = String(connection.threadId)
  }

  /** In the form of rows that the pool may have changed. */
  async ask(sql: string): Promise<Answer> {
    const answer = await this.#connection.query({ sql, rowsAsArray: false, nestTables: false })
    // mysql2 adds the columns.
    const rows: unknown = Array.isArray(answer) && Array.isArray(answer[0]) ? answer[0] : answer
    return { rows: Array.isArray(rows) ? rows : [] }
  }

  call(method: string, args: readonly unknown[]): Promise<unknown> {
    return callOf(this.#connection, method, args)
  }

  release(): void {
    if (this.#isBack) return
    this.#isBack = true
    void this.#giveBack().catch(() => this.#connection.destroy())
  }

  async #giveBack(): Promise<void> {
    await this.ask('SET SESSION innodb_lock_wait_timeout = DEFAULT')
    await this.#connection.release()
  }

  cut(): void {
    if (this.#isBack) return
    this.#isBack = true
    this.#connection.destroy()
  }
}
