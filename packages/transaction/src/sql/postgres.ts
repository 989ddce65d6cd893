import { StoreError } from '@unikv/core/adapter'
import {
  type Answer,
  type Beginning,
  callOf,
  type Dialect,
  ended,
  type Found,
  type Meaning,
  type Session,
} from './dialect.ts'

/** A pool of `pg`. */
export interface PostgresPool {
  readonly totalCount: number
  /** A connection of the pool. */
  connect(): Promise<PostgresClient>
  /** Hear of connections that end while they are idle. */
  on(event: 'error', listener: () => void): unknown
}

interface PostgresClient {
  query(text: string): Promise<unknown>
  on(event: 'error', listener: () => void): unknown
  release(isSpoilt?: boolean): void
}

/** The longest time that a setting of PostgreSQL takes, in milliseconds. */
const mostMs = 2 ** 31 - 1

/** A statement after one that failed. */
const afterFailure = '25P02'

/** Conflicts, and what a lock was not given for in time. */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01', '55P03'])

/** Two-phase commit by PostgreSQL: what is prepared belongs to no connection. */
export function postgresDialect(pool: PostgresPool): Dialect {
  listen(pool)
  return {
    lend: async () => new PostgresSession(await pool.connect()),
    gid: (_, id, part) => `unikv:${id}:${part}`,
    begin: (session, _, how) => begin(session, how),
    async prepare(session, gid) {
      const { command } = await session.ask(`PREPARE TRANSACTION '${gid}'`)
      if (command === 'ROLLBACK') throw ended()
    },
    async commit(session) {
      const { command } = await session.ask('COMMIT')
      if (command === 'ROLLBACK') throw ended()
    },
    rollback: async (session) => void (await session.ask('ROLLBACK')),
    finish: async (session, gid, isCommitted) =>
      void (await session.ask(`${isCommitted ? 'COMMIT' : 'ROLLBACK'} PREPARED '${gid}'`)),
    prepared,
    check,
    meaning,
  }
}

/** The server ends by itself what its client has left alone. */
async function begin(session: Session, { isolation, lockMs, leftMs }: Beginning): Promise<void> {
  const limit = (ms: number): number => Math.ceil(Math.min(Math.max(ms, 1), mostMs))
  await session.ask(
    `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()};
     SET LOCAL lock_timeout = ${limit(lockMs)};
     SET LOCAL idle_in_transaction_session_timeout = ${limit(leftMs)}`,
  )
}

/** Others in this server, and of other databases of it, are passed by. */
async function prepared(session: Session): Promise<readonly Found[]> {
  const { rows } = await session.ask(
    `SELECT gid, (extract(epoch FROM clock_timestamp() - prepared) * 1000)::text AS age FROM pg_prepared_xacts
     WHERE database = current_database() AND gid ~ '^unikv:[0-9a-f]{24}:[0-9]+$'`,
  )
  return rows.map(({ gid, age }) => {
    const [, id = ''] = String(gid).split(':')
    return { id, gid: String(gid), ageMs: Number(age) }
  })
}

async function check(session: Session): Promise<void> {
  const { rows } = await session.ask('SHOW max_prepared_transactions').catch((error: unknown) => {
    throw (error as { readonly code?: unknown }).code === afterFailure ? ended() : error
  })
  if (Number(rows[0]?.['max_prepared_transactions']) > 0) return
  throw new StoreError(
    'INVALID_CONFIG',
    'PostgreSQL cannot prepare transactions; nothing was changed. Set max_prepared_transactions to at least its number of connections, and restart it.',
  )
}

function meaning(error: unknown): Meaning {
  const { code, severity } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (typeof code !== 'string' || typeof severity !== 'string') return 'lost'
  if (conflicts.has(code)) return 'conflict'
  // 55006: another connection is just finishing it.
  if (code === '42704' || code === '55006') return 'gone'
  return severity === 'FATAL' || severity === 'PANIC' || /^(08|57P|25P03)/.test(code) ? 'lost' : 'told'
}

/** Pools and connections whose errors are listened to. */
const heard = new WeakSet<object>()

/** Without a listener the end of a connection would end the process. One is enough: a pool lends its connections again and again. */
function listen(one: PostgresPool | PostgresClient): void {
  if (heard.has(one)) return
  heard.add(one)
  one.on('error', () => {})
}

class PostgresSession implements Session {
  readonly thread = ''
  readonly #client: PostgresClient
  #isBack = false

  constructor(client: PostgresClient) {
    this.#client = client
    listen(client)
  }

  async ask(text: string): Promise<Answer> {
    return (await this.#client.query(text)) as Answer
  }

  call(method: string, args: readonly unknown[]): Promise<unknown> {
    return callOf(this.#client, method, args)
  }

  release(): void {
    this.#giveBack(false)
  }

  cut(): void {
    this.#giveBack(true)
  }

  #giveBack(isSpoilt: boolean): void {
    if (this.#isBack) return
    this.#isBack = true
    this.#client.release(isSpoilt)
  }
}
