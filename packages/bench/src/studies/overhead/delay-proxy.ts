import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { clearTimeout, performance, setTimeout } from '@unikv/core/platform'

/** Ports of servers whose URL names none. Drivers of other stores connect to addresses that the servers tell. */
const ports: Readonly<Record<string, number>> = {
  redis: 6379,
  valkey: 6379,
  postgres: 5432,
  postgresql: 5432,
  mysql: 3306,
  mariadb: 3306,
}

/** Whether all connections of a store go to the address in its URL. */
export function canBeDelayed(url: string): boolean {
  return portOf(url) !== undefined && !url.includes(',')
}

/** A server farther away: answers of the real one arrive later. */
export class DelayProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The URL of the store, by way of the proxy. */
  readonly url: string

  private constructor(server: Server, sockets: Set<Socket>, url: string) {
    this.#server = server
    this.#sockets = sockets
    this.url = url
  }

  static async start(url: string, delayMs: number): Promise<DelayProxy> {
    const { hostname, port } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      join(client, connect(port === '' ? (portOf(url) as number) : Number(port), host), delayMs, sockets)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxied = new URL(url)
    proxied.hostname = '127.0.0.1'
    proxied.port = String((server.address() as AddressInfo).port)
    return new DelayProxy(server, sockets, proxied.href)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function portOf(url: string): number | undefined {
  return ports[url.slice(0, url.indexOf(':'))]
}

/** Passes on requests at once, and answers later. */
function join(client: Socket, server: Socket, delayMs: number, sockets: Set<Socket>): void {
  const late = new Late(delayMs, (chunk) => client.write(chunk))
  for (const socket of [client, server]) {
    sockets.add(socket)
    socket.setNoDelay(true)
    // Both ends learn of it by their own sockets.
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  client.on('data', (chunk: Buffer) => server.write(chunk))
  client.on('close', () => {
    late.stop()
    server.destroy()
  })
  server.on('data', (chunk: Buffer) => late.take(chunk))
  server.on('close', () => late.end(() => client.destroy()))
}

/** Passes chunks on in their order, each after a time. */
class Late {
  readonly #delayMs: number
  readonly #pass: (chunk: Buffer) => void
  readonly #waiting: { readonly at: number; readonly chunk: Buffer }[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #whenEmpty: (() => void) | undefined

  constructor(delayMs: number, pass: (chunk: Buffer) => void) {
    this.#delayMs = delayMs
    this.#pass = pass
  }

  take(chunk: Buffer): void {
    this.#waiting.push({ at: performance.now() + this.#delayMs, chunk })
    this.#timer ??= setTimeout(() => this.#due(), this.#delayMs)
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
    // A timer may be a little early.
    if (next !== undefined)
      this.#timer = setTimeout(() => this.#due(), Math.max(1, Math.ceil(next.at - performance.now())))
    else this.#whenEmpty?.()
  }
}
