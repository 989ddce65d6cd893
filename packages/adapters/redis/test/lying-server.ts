import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server that speaks RESP, opens connections as Redis does, and answers everything else with what it is told. */
export interface LyingServer {
  readonly url: `redis://${string}`
  /** What it answers to commands of records, as it stands on the wire. */
  reply: string
  /** Connections that were opened. */
  readonly connections: number
  close(): Promise<void>
}

/** Start one on 127.0.0.1. */
export async function lyingServer(): Promise<LyingServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      for (let end = endOf(received); end !== undefined; end = endOf(received)) {
        const [name = ''] = received.slice(0, end.at).split('\r\n').slice(2)
        received = received.slice(end.at)
        socket.write(opening[name.toLowerCase()] ?? lies.reply, 'latin1')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const lies: LyingServer = {
    url: `redis://127.0.0.1:${port}`,
    reply: '$-1\r\n',
    get connections() {
      return connections
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return lies
}

/** Without these no driver uses a connection. */
const opening: Readonly<Record<string, string>> = {
  hello: '%1\r\n+proto\r\n:3\r\n',
  client: '+OK\r\n',
  select: '+OK\r\n',
  ping: '+PONG\r\n',
  info: '$0\r\n\r\n',
}

/** Where the first command ends: an array of strings, each after its length. */
function endOf(text: string): { readonly at: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text)
  if (head === null) return undefined
  let at = head[0].length
  for (let left = Number(head[1]); left > 0; left--) {
    const bulk = /^\$(\d+)\r\n/.exec(text.slice(at, at + 24))
    if (bulk === null) return undefined
    at += bulk[0].length + Number(bulk[1]) + 2
  }
  return at <= text.length ? { at } : undefined
}
