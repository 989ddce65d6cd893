import { addressOf, callBuffer, type RedisConnection, type RedisStream } from './client/redis-client.ts'

/*
 * ioredis selects a database when it connects, and goes on in database 0 where the server refuses. So a connection
 * counts as ready only after its server has acknowledged the selection. node-redis does not connect without.
 */

/** Sockets on which the database is selected. */
const selected = new WeakSet<RedisStream>()

/** Whether commands on this connection meet the right database. */
export function isSelected(connection: RedisConnection): boolean {
  if (databaseOf(connection) === 0) return true
  const { stream } = connection
  return stream !== undefined && selected.has(stream)
}

/** Select the database of the connection. Rejects as the server does. */
export async function select(connection: RedisConnection): Promise<void> {
  const { stream } = connection
  await callBuffer(connection, 'select', [String(databaseOf(connection))])
  if (stream !== undefined) selected.add(stream)
}

/** Database of the client: that of its options, or the one that its owner selected since. */
function databaseOf(connection: RedisConnection): number {
  return connection.condition?.select ?? addressOf(connection).db ?? 0
}
