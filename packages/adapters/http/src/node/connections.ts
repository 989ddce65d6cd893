import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { clearTimeout, nextTurn, setTimeout } from '@unikv/core/platform'

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The connections of a server, each with its latest answer. */
export class Connections {
  readonly #server: Server
  /** Also those that are about to speak TLS. */
  readonly #sockets = new Set<Socket>()
  readonly #latest = new Map<Socket, ServerResponse | undefined>()
  #isClosing = false

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#latest.set(socket, undefined)
      socket.once('close', () => this.#latest.delete(socket))
    })
  }

  /**
   * Answer the requests of a connection one after the other: one that sends many at once, and reads no answer, would fill the memory
   * with answers that wait for each other.
   */
  inTurn(listener: Listener): Listener {
    return async (request, response) => {
      const { socket } = request
      const before = this.#latest.get(socket)
      this.#latest.set(socket, response)
      if (this.#isClosing) endAfter(socket, response)
      if (before?.closed === false) await new Promise((end) => before.once('close', end))
      if (!socket.destroyed) await listener(request, response)
    }
  }

  /** Take no more connections, end those that are idle, and each other with the end of its answer; cut what is left after so long. */
  close(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cut = setTimeout(() => this.#cut(), timeoutMs)
      const closed = (): void => {
        clearTimeout(cut)
        // Ends its timers.
        this.#server.close()
        resolve()
      }
      // That of HTTP takes a connection for idle whose answer is still on its way.
      NetServer.prototype.close.call(this.#server, closed)
      this.#isClosing = true
      void this.#endIdle()
    })
  }

  /** A request that has arrived by now is read in the next turn, and is under way. */
  async #endIdle(): Promise<void> {
    await nextTurn()
    await nextTurn()
    for (const [socket, response] of this.#latest) endAfter(socket, response)
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

function endAfter(socket: Socket, response: ServerResponse | undefined): void {
  if (response === undefined || response.closed) {
    socket.destroySoon()
    return
  }
  if (!response.headersSent) response.shouldKeepAlive = false
  response.once('close', () => socket.destroySoon())
}
