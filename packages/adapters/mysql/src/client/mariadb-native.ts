import type { MariadbConnection } from './mariadb-client.ts'
import type { MysqlNative, MysqlNativeConnection } from './native.ts'

type Answer = (error: Error | null, rows?: unknown, meta?: unknown) => void

/** A connection of `mariadb/callback`, with what SQL of the application's own needs. */
export interface DrivenConnection extends MariadbConnection {
  connect(callback: (error?: Error | null) => void): void
  query(sql: string, values: readonly unknown[], callback: Answer): unknown
  execute(sql: string, values: readonly unknown[], callback: Answer): unknown
  beginTransaction(callback: Answer): void
  commit(callback: Answer): void
  rollback(callback: Answer): void
  end(callback: () => void): void
}

/** A connection that was lent. */
export interface Lent {
  readonly driven: DrivenConnection
  readonly release: () => void
}

/** `native` of a store that opened connections of the driver mariadb. */
export function mariadbNative(lend: () => Promise<Lent>): MysqlNative {
  const lentFor = async <R>(use: (connection: MysqlNativeConnection) => Promise<R>): Promise<R> => {
    const lent = await lend()
    return use(nativeConnection(lent)).finally(lent.release)
  }
  return {
    query: (sql, values) => lentFor((connection) => connection.query(sql, values)),
    execute: (sql, values) => lentFor((connection) => connection.execute(sql, values)),
    getConnection: async () => nativeConnection(await lend()),
  }
}

function nativeConnection({ driven, release }: Lent): MysqlNativeConnection {
  return {
    query: (sql, values = []) => promised((answer) => driven.query(sql, values, answer)),
    execute: (sql, values = []) => promised((answer) => driven.execute(sql, values, answer)),
    beginTransaction: async () => void (await promised((answer) => driven.beginTransaction(answer))),
    commit: async () => void (await promised((answer) => driven.commit(answer))),
    rollback: async () => void (await promised((answer) => driven.rollback(answer))),
    release,
  }
}

function promised<T>(ask: (answer: Answer) => unknown): Promise<[T, unknown]> {
  return new Promise((resolve, reject) => {
    ask((error, rows, meta) => (error ? reject(error) : resolve([rows as T, meta])))
  })
}
