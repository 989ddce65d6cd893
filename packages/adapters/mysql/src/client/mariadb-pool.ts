import type { Socket } from 'node:net'
import { StoreError } from '@unikv/core'
import { cannotLoad } from '@unikv/core/adapter'
import { closePool, track } from '@unikv/core/sql-client'
import { errorOf, mariadbConnection } from './mariadb-client.ts'
import { type DrivenConnection, type Lent, mariadbNative } from './mariadb-native.ts'
import type { MysqlAddress, MysqlConnection, MysqlPool } from './mysql-client.ts'
import { type OwnPool, openSocket } from './mysql-pool.ts'
import type { MysqlNative } from './native.ts'
import { isInTransaction } from './transaction-status.ts'

/** Longest wait for a connection to be made. */
const connectTimeoutMs = 5_000
/** Prepared statements that a connection keeps; the adapter needs fewer. */
const maxPreparedStatements = 200

/**
 * Open a pool of connections of the driver mariadb. No connection is made yet.
 *
 * @throws {StoreError} `INVALID_CONFIG` if mariadb is not installed
 */
export async function openMariadbPool(address: MysqlAddress, maxConnections: number): Promise<OwnPool> {
  const driver = await loadDriver()
  const sockets = new Set<Socket>()
  const { host, port, user, password, database, socketPath, tls } = address
  // The driver hears of an error alone, and takes away the listeners of a socket that fails, those of `track` too.
  const cut = (socket: Socket): void => {
    sockets.delete(socket)
    socket.on('error', () => {}).destroy(new Error('The connection was cut.'))
  }
  const connect: Connect = () => {
    const socket = track(openSocket(address), sockets)
    const connection = driver.createConnection({
      host,
      port,
      user,
      password,
      database,
      ...(tls === undefined ? {} : { ssl: withIdentity(tls) }),
      connectTimeout: connectTimeoutMs,
      prepareCacheLength: maxPreparedStatements,
      logParam: false,
      stream: () => socket,
    })
    return { connection, cut: () => cut(socket) }
  }
  const pool = new MariadbConnections(socketPath ?? `${host}:${port}`, maxConnections, connect)
  return { pool, close: () => closePool(() => pool.end(() => {}), sockets, cut) }
}

/** Makes a connection, and what cuts it at once. */
type Connect = () => { readonly connection: DrivenConnection; readonly cut: () => void }

/** A call that waits for a connection. */
type Waiting = (error: Error | undefined, member?: Member) => void

/** A connection of the pool. */
interface Member extends Lent {
  readonly adapted: MysqlConnection
}

/**
 * Connections of the driver mariadb. Its own pool makes them one after the other and before they are wanted, tries
 * again for seconds before it says that the server refuses, and cuts one only after it asked the server on another.
 */
class MariadbConnections implements MysqlPool {
  readonly address: string
  readonly connectionLimit: number
  readonly #connect: Connect
  readonly #members = new Set<Member>()
  readonly #idle: Member[] = []
  readonly #waiting: Waiting[] = []
  #opening = 0
  #isClosed = false

  constructor(address: string, limit: number, connect: Connect) {
    this.address = address
    this.connectionLimit = limit
    this.#connect = connect
  }

  getConnection(callback: (error: Error | null, connection: MysqlConnection) => void): void {
    this.#lend((error, member) => callback(error ?? null, member?.adapted as MysqlConnection))
  }

  end(callback: () => void): void {
    this.#isClosed = true
    for (const waiting of this.#waiting.splice(0)) waiting(closed())
    for (const { driven } of this.#idle.splice(0)) driven.end(() => {})
    callback()
  }

  promise(): MysqlNative {
    return mariadbNative(
      () =>
        new Promise((resolve, reject) =>
          this.#lend((error, member) => (member === undefined ? reject(error ?? closed()) : resolve(member))),
        ),
    )
  }

  #lend(callback: Waiting): void {
    const idle = this.#idle.pop()
    if (this.#isClosed) callback(closed())
    else if (idle !== undefined) callback(undefined, idle)
    else if (this.#members.size + this.#opening < this.connectionLimit) this.#open(callback)
    else this.#waiting.push(callback)
  }

  #open(callback: Waiting): void {
    const { connection: driven, cut } = this.#connect()
    this.#opening++
    driven.connect((error) => {
      this.#opening--
      if (error) {
        cut()
        callback(errorOf(error))
        return this.#next()
      }
      const member = this.#memberOf(driven, cut)
      this.#members.add(member)
      driven.on('error', () => member.adapted.destroy())
      // Goes out with the first statement, so nothing waits for it. Answers say whether it holds.
      driven.query('SET autocommit = 1', [], () => {})
      callback(undefined, member)
    })
  }

  #memberOf(driven: DrivenConnection, cut: () => void): Member {
    const release = (): void => this.#takeBack(member)
    // The driver would ask the server to kill it, on another connection, and keep this one until then.
    const destroy = (): void => {
      cut()
      this.#remove(member)
    }
    const adapted = mariadbConnection(driven, release, destroy)
    const member: Member = { driven, release: () => this.#takeBackRolled(member), adapted }
    return member
  }

  /** From the application, which may have left a transaction open. */
  #takeBackRolled(member: Member): void {
    const { driven, adapted } = member
    if (!isInTransaction(driven.info?.status)) return adapted.release()
    driven.rollback((error) => (error ? adapted.destroy() : adapted.release()))
  }

  #takeBack(member: Member): void {
    if (!this.#members.has(member)) return
    if (this.#isClosed) return member.driven.end(() => {})
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#idle.push(member)
    else waiting(undefined, member)
  }

  #remove(member: Member): void {
    if (!this.#members.delete(member)) return
    const place = this.#idle.indexOf(member)
    if (place >= 0) this.#idle.splice(place, 1)
    this.#next()
  }

  /** There is room for another connection. */
  #next(): void {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) this.#lend(waiting)
  }
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'The pool of connections is closed.')
}

function withIdentity({ verifyIdentity = true, ...tls }: NonNullable<MysqlAddress['tls']>): object {
  return verifyIdentity ? tls : { ...tls, checkServerIdentity: () => undefined }
}

interface Driver {
  createConnection(options: object): DrivenConnection
}

async function loadDriver(): Promise<Driver> {
  try {
    return (await import('mariadb/callback')) as unknown as Driver
  } catch (cause) {
    throw cannotLoad('mariadb', cause)
  }
}
