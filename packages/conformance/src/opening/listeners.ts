import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const host = '127.0.0.1'

/** A listener on a port of this machine. */
export interface Listener {
  /** `127.0.0.1:port` */
  readonly address: string
  /** Connections that came. */
  readonly connections: number
  close(): Promise<void>
}

/** An address without a listener. */
export async function closedPort(): Promise<string> {
  const listener = await silentServer()
  await listener.close()
  return listener.address
}

/** Takes connections, reads what comes, and says nothing. */
export function silentServer(): Promise<Listener> {
  return listen(0, (socket) => void socket.resume())
}

/** Hands on what comes at one address to another. */
export function relay(from: string, to: string): Promise<Listener> {
  return listen(portOf(from), (socket) => {
    const on = connect({ host: to.slice(0, to.lastIndexOf(':')), port: portOf(to), noDelay: true })
    on.on('error', () => socket.destroy())
    on.on('close', () => socket.destroy())
    socket.on('close', () => on.destroy())
    socket.pipe(on).pipe(socket)
  })
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1))
}

async function listen(port: number, serve: (socket: Socket) => void): Promise<Listener> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer({ noDelay: true }, (socket) => {
    connections++
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    socket.on('error', () => {})
    serve(socket)
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    address: `${host}:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}
