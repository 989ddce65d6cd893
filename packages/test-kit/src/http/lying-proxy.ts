import { createServer, type IncomingMessage, type ServerResponse, request as sendOn } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { HttpAnswer, HttpLie } from './lie.ts'

/** An HTTP proxy that answers otherwise than the server did, when it is told to. */
export interface LyingProxy {
  readonly port: number
  /** Connections over which half an answer went and that the client still holds. */
  readonly halfAnswered: number
  /** The answer from now on to the requests that this concerns; `undefined`: the truth. */
  tell(lie: HttpLie | undefined, concerns?: (request: IncomingMessage) => boolean): void
  /** Cuts all connections and stops listening. */
  close(): void
}

/** Opens a proxy on 127.0.0.1 before the server at `target`. */
export async function lyingProxy(target: URL): Promise<LyingProxy> {
  let lie: HttpLie | undefined
  let isConcerned: (request: IncomingMessage) => boolean = () => true
  const half = new Set<Socket>()
  const listener = createServer((incoming, answer) => {
    const told = lie !== undefined && isConcerned(incoming) ? lie : undefined
    const { socket } = incoming
    void (async () => {
      const sent = await buffer(incoming)
      // A request that never reached the server has no effect there.
      const truth = told?.instead === true ? nothing : await passedOn(target, incoming, sent)
      const said = told?.tell(truth) ?? truth
      if ('status' in said) return whole(answer, said, incoming.method === 'HEAD')
      if (socket.destroyed) return
      const { bytes, after } = said
      half.add(socket)
      socket.once('close', () => half.delete(socket))
      if (after === 'end') socket.end(bytes)
      else socket.write(bytes)
    })().catch(() => socket.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (listener.address() as AddressInfo).port,
    get halfAnswered() {
      return half.size
    },
    tell: (next, concerns = () => true) => {
      lie = next
      isConcerned = concerns
    },
    close: () => {
      listener.close()
      listener.closeAllConnections()
    },
  }
}

function whole(answer: ServerResponse, { status, headers, body }: HttpAnswer, isHead: boolean): void {
  const { connection: _, 'transfer-encoding': __, 'content-length': length, ...kept } = headers
  const told = isHead ? length : status === 204 ? undefined : String(body.length)
  const framing = told === undefined ? {} : { 'content-length': told }
  answer.writeHead(status, { ...kept, ...framing } as Record<string, string>).end(isHead ? undefined : body)
}

const nothing: HttpAnswer = { status: 200, headers: {}, body: Buffer.alloc(0) }

function passedOn(target: URL, { method, url, headers }: IncomingMessage, sent: Buffer): Promise<HttpAnswer> {
  const { connection: _, ...kept } = headers
  const { hostname, port } = target
  return new Promise((resolve, reject) => {
    const passed = sendOn({ hostname, port, method, path: url, headers: kept, agent: false }, (answered) => {
      const { statusCode: status = 0, headers: told } = answered
      const heard = (body: Buffer): void => resolve({ status, headers: told, body })
      // Some servers send more after the head, which is not part of the answer.
      if (method === 'HEAD') heard(Buffer.alloc(0))
      else buffer(answered).then(heard, reject)
    })
    passed.on('error', reject).end(sent)
  })
}
