import type { Socket } from 'node:net'
import { clearTimeout, setTimeout } from '../platform/timers.ts'

/** Longest wait for the server to close its side. */
const goodbyeMs = 1_000

/** Keep a socket in a set while it is open. */
export function track(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

/** Say goodbye to the server by `end`; what has not closed after a second is cut. */
export async function closePool(
  end: () => unknown,
  sockets: ReadonlySet<Socket>,
  cut: (socket: Socket) => unknown = (socket) => socket.destroy(),
): Promise<void> {
  void end()
  const closed = Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve)))
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, goodbyeMs)
  })
  await Promise.race([Promise.all(closed), patience])
  clearTimeout(timer)
  for (const socket of sockets) cut(socket)
}
