import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach } from 'vitest'
import { type FaultProxy, faultProxy } from '../src/faults/fault-proxy.ts'

/** Answers each connection with what it sent, in capitals, and records it. */
class Shouter {
  readonly #server: Server = createServer({ allowHalfOpen: true }, (socket) => this.#talk(socket))
  received = ''

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `tcp://someone:secret@127.0.0.1:${(this.#server.address() as AddressInfo).port}/path`
  }

  close(): void {
    this.#server.close()
  }

  #talk(socket: Socket): void {
    socket.on('data', (chunk) => {
      this.received += chunk.toString()
      socket.write(chunk.toString().toUpperCase())
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => {})
  }
}

/** A client that remembers how its connection ended. */
export class Client {
  readonly socket: Socket
  readonly ended: Promise<'end' | 'reset'>
  received = ''

  constructor(proxy: FaultProxy) {
    this.socket = connect(proxy.port, '127.0.0.1')
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString()
    })
    this.ended = new Promise((resolve) => {
      this.socket.once('end', () => resolve('end'))
      this.socket.once('error', () => resolve('reset'))
    })
  }

  async receives(text: string): Promise<void> {
    while (!this.received.includes(text)) await once(this.socket, 'data')
  }

  async says(text: string): Promise<void> {
    this.socket.write(text)
    await this.receives(text.toUpperCase())
  }
}

/** Anew for each test: a server, a proxy before it and a client of that. */
export let server: Shouter
export let proxy: FaultProxy
export let client: Client

beforeEach(async () => {
  server = new Shouter()
  proxy = await faultProxy(await server.listen())
  client = new Client(proxy)
})

afterEach(async () => {
  client.socket.destroy()
  await proxy.close()
  server.close()
})
