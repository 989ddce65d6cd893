import { connect, type Socket } from 'node:net'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import type { MysqlAddress, MysqlPool } from './mysql-client.ts'

/** Longest wait for the server to close its side. */
const goodbyeMs = 1_000

/** A socket on its way to the server. */
export function openSocket({ socketPath, host, port }: MysqlAddress): Socket {
  return socketPath === undefined
    ? connect({ host, port, noDelay: true, keepAlive: true })
    : connect({ path: socketPath })
}

/** Keep a socket in a set while it is open. */
export function track(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

/** Say goodbye to the server; what has not closed after a second is cut. */
export async function closePool(
  pool: MysqlPool,
  sockets: ReadonlySet<Socket>,
  cut: (socket: Socket) => unknown = (socket) => socket.destroy(),
): Promise<void> {
  pool.end(() => {})
  const closed = Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve)))
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, goodbyeMs)
  })
  await Promise.race([Promise.all(closed), patience])
  clearTimeout(timer)
  for (const socket of sockets) cut(socket)
}
