import type { MysqlConnection } from './mysql-client.ts'

/** Cut a connection, without waiting for the server to agree. */
export function discard(
  connection: (MysqlConnection & { readonly stream?: { destroy?(): unknown } }) | undefined,
): void {
  if (connection === undefined) return
  connection.on('error', () => {}) // what it says about its end is of no interest, and must not be uncaught
  connection.destroy()
  connection.stream?.destroy?.()
}
