import { connect, type Socket } from 'node:net'
import { keyValue } from '@unikv/core'
import { memcached } from '@unikv/memcached'
import { startServer } from '@unikv/test-kit'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'

/**
 * The least that a client of the meta protocol can do: a socket, replies in the order of the commands, keys as they
 * are. No deadline, no opaque, no version. (The clients on npm, `memjs` and `memcached`, are slower, and their last
 * releases are years old.)
 */
export async function overMemcached(): Promise<Entrants> {
  const server = await startServer('memcached')
  const { hostname, port } = new URL(server.url)
  const client = new BareClient(connect({ host: hostname, port: Number(port), noDelay: true }))
  const kv = keyValue(memcached({ url: server.url }))
  const get = (key: string): string => `mg ${key} v\r\n`
  const put = (key: string, value: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`ms ${key} ${value.length}\r\n`), value, Buffer.from('\r\n')])
  const native = {
    insert: (key: string, value: Buffer) => client.send(put(key, value), 1),
    read: (key: string) => client.send(get(key), 1),
    delete: (key: string) => client.send(`md ${key}\r\n`, 1),
    readMany: (keys: readonly string[]) => client.send(keys.map(get).join(''), keys.length),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      client.send(Buffer.concat(entries.map(([key, value]) => put(key, value))), entries.length),
  }
  const close = async (): Promise<void> => {
    client.close()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}

interface Awaited {
  readonly replies: (Buffer | string)[]
  readonly count: number
  readonly resolve: (replies: readonly (Buffer | string)[]) => void
}

class BareClient {
  readonly #socket: Socket
  readonly #awaited: Awaited[] = []
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  send(commands: string | Buffer, count: number): Promise<readonly (Buffer | string)[]> {
    return new Promise((resolve) => {
      this.#awaited.push({ replies: [], count, resolve })
      this.#socket.write(commands)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    for (let end = bytes.indexOf(10, at); end !== -1; end = bytes.indexOf(10, at)) {
      const line = bytes.toString('latin1', at, end - 1)
      const size = line.startsWith('VA ') ? Number.parseInt(line.slice(3), 10) : undefined
      const next = end + 1 + (size === undefined ? 0 : size + 2)
      if (next > bytes.length) break
      this.#reply(size === undefined ? line : bytes.subarray(end + 1, next - 2))
      at = next
    }
    this.#rest = bytes.subarray(at)
  }

  #reply(reply: Buffer | string): void {
    const [first] = this.#awaited as [Awaited]
    if (first.replies.push(reply) < first.count) return
    this.#awaited.shift()
    first.resolve(first.replies)
  }
}
