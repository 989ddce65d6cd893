import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { clearTimeout, performance, setTimeout } from '@unikv/core/platform'

/** How far away a server seems to be. */
export interface Distance {
  /** So much later arrives what it answers. */
  readonly delayMs: number
  /** Speed of its network in Mbit/s, for both directions each; `null`: as it is. */
  readonly mbits: number | null
}

/** Where a relay passes on to. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** A server farther away: answers of the real one arrive later, and bytes take the time of a slower network. */
export class Relay {
  readonly #server: Server
  readonly #sockets: Set<Socket>
  /** At 127.0.0.1. */
  readonly port: number

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server
    this.#sockets = sockets
    this.port = (server.address() as AddressInfo).port
  }

  static async start({ host, port }: Address, { delayMs, mbits }: Distance): Promise<Relay> {
    const sockets = new Set<Socket>()
    // All connections share them, as on a real network.
    const lines = { there: new Line(0, mbits), back: new Line(delayMs, mbits) }
    const server = createServer((client) => join(client, connect(port, host), lines, sockets))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Relay(server, sockets)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** One direction of a network. */
class Line {
  readonly #delayMs: number
  readonly #msOfByte: number
  #freeAt = 0

  constructor(delayMs: number, mbits: number | null) {
    this.#delayMs = delayMs
    this.#msOfByte = mbits === null ? 0 : 8 / (mbits * 1_000)
  }

  /** When the last of so many bytes arrives that are sent now. */
  arrivalOf(bytes: number): number {
    const now = performance.now()
    this.#freeAt = Math.max(now, this.#freeAt) + bytes * this.#msOfByte
    return this.#freeAt + this.#delayMs
  }
}

interface Lines {
  readonly there: Line
  readonly back: Line
}

function join(client: Socket, server: Socket, { there, back }: Lines, sockets: Set<Socket>): void {
  const requests = new Late(there, (chunk) => server.write(chunk))
  const answers = new Late(back, (chunk) => client.write(chunk))
  for (const socket of [client, server]) {
    sockets.add(socket)
    socket.setNoDelay(true)
    // Both ends learn of it by their own sockets.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  client.on('data', (chunk: Buffer) => requests.take(chunk))
  client.on('close', () => {
    answers.stop()
    requests.end(() => server.destroy())
  })
  server.on('data', (chunk: Buffer) => answers.take(chunk))
  server.on('close', () => {
    requests.stop()
    answers.end(() => client.destroy())
  })
}

/** Passes chunks on in their order, each when it arrives. */
class Late {
  readonly #line: Line
  readonly #pass: (chunk: Buffer) => void
  readonly #waiting: { readonly at: number; readonly chunk: Buffer }[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #whenEmpty: (() => void) | undefined

  constructor(line: Line, pass: (chunk: Buffer) => void) {
    this.#line = line
    this.#pass = pass
  }

  take(chunk: Buffer): void {
    const at = this.#line.arrivalOf(chunk.length)
    if (this.#waiting.length === 0 && at <= performance.now()) this.#pass(chunk)
    else {
      this.#waiting.push({ at, chunk })
      this.#timer ??= setTimeout(() => this.#due(), waitFor(at))
    }
  }

  /** Call `then` when everything has been passed on. */
  end(then: () => void): void {
    this.#whenEmpty = then
    if (this.#waiting.length === 0) then()
  }

  /** Forget what is waiting. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.length = 0
  }

  #due(): void {
    this.#timer = undefined
    for (
      let next = this.#waiting[0];
      next !== undefined && next.at <= performance.now();
      next = this.#waiting[0]
    ) {
      this.#waiting.shift()
      this.#pass(next.chunk)
    }
    const [next] = this.#waiting
    if (next !== undefined) this.#timer = setTimeout(() => this.#due(), waitFor(next.at))
    else this.#whenEmpty?.()
  }
}

/** A timer may be a little early. */
function waitFor(at: number): number {
  return Math.max(1, Math.ceil(at - performance.now()))
}
