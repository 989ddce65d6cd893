import { StoreError } from '@unikv/core/adapter'

/** A connection that a pool has lent. */
export interface Session {
  /** A statement of ours. */
  ask(text: string): Promise<Answer>
  /** A statement of the program, by the method of its driver. */
  call(method: string, args: readonly unknown[]): Promise<unknown>
  /** The number of the connection in its server, where the server keeps prepared transactions by connection. */
  readonly thread: string
  /** Give it back to its pool. */
  release(): void
  /** Close it. The server rolls back what is not prepared. */
  cut(): void
}

/** The answer to a statement of ours. */
export interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** The command, as the server names it. */
  readonly command?: string | undefined
}

/** A prepared transaction, as its server lists it. */
export interface Found {
  /** The id of the transaction in its log. */
  readonly id: string
  /** Its name in the server, as statements have it. */
  readonly gid: string
  /** How long it has been prepared by the clock of the server, in milliseconds. @default the server does not tell */
  readonly ageMs?: number
  /** The connection that prepared it, which may hold it still. */
  readonly thread?: string
}

/** The isolation of an SQL transaction. */
export type SqlIsolation = 'serializable' | 'repeatable read' | 'read committed'

/** How a transaction begins. */
export interface Beginning {
  readonly isolation: SqlIsolation
  /** How long a statement may wait for a lock, in milliseconds. Two databases can wait for each other in a circle that neither sees. */
  readonly lockMs: number
  /** How long the transaction may be left alone by its client, in milliseconds. */
  readonly leftMs: number
}

/**
 * The meaning of a driver's error.
 *
 * - `conflict`: the transaction has lost, and may run again.
 * - `gone`: no prepared transaction has this name, or a connection holds it.
 * - `told`: any other refusal of the server.
 * - `lost`: the connection failed.
 */
export type Meaning = 'conflict' | 'gone' | 'told' | 'lost'

/** Two-phase commit in the words of one kind of server. Errors are those of the driver. */
export interface Dialect {
  /** A connection of the pool. */
  lend(): Promise<Session>
  /** The name of a transaction's part in the server. */
  gid(session: Session, id: string, part: number): string
  begin(session: Session, gid: string, how: Beginning): Promise<void>
  /** @throws {StoreError} `INVALID_ARGUMENT` if the transaction had ended before */
  prepare(session: Session, gid: string): Promise<void>
  /**
   * Commit what is not prepared.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` if the transaction had ended before
   */
  commit(session: Session, gid: string): Promise<void>
  rollback(session: Session, gid: string): Promise<void>
  /** Commit what is prepared, or roll it back. */
  finish(session: Session, gid: string, isCommitted: boolean): Promise<void>
  /** All that is prepared by transactions of unikv. */
  prepared(session: Session): Promise<readonly Found[]>
  /** End the connection that holds a prepared transaction, so that others can finish it. */
  free?(session: Session, found: Found): Promise<void>
  /** @throws {StoreError} `INVALID_CONFIG` if the server cannot prepare */
  check(session: Session): Promise<void>
  meaning(error: unknown): Meaning
}

/** The error of a transaction that was not there any more when it should end. */
export function ended(): StoreError {
  return new StoreError(
    'INVALID_ARGUMENT',
    'The SQL transaction had ended before its commit, as one of its statements failed; nothing of it was changed. Let the function throw the error of its statement, or roll back to a savepoint.',
  )
}

/** Call a method of a driver. */
export function callOf(connection: object, method: string, args: readonly unknown[]): Promise<unknown> {
  const { [method]: called } = connection as Readonly<
    Record<string, (...args: unknown[]) => Promise<unknown>>
  >
  return (called as (...args: unknown[]) => Promise<unknown>).apply(connection, [...args])
}
