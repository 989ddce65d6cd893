import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { any, label, ms, type OptionsOf, readOptions, whole } from '@unikv/core/adapter'
import type { HttpServer } from '../server/gate.ts'
import { Connections } from './connections.ts'
import { type ListenerOptions, listenerTable, nodeListener } from './listener.ts'
import { limitBody } from './slow-bodies.ts'

const table = {
  /** @default 0: any that is free */
  port: whole(0, 0, 65_535),
  /** @default '127.0.0.1': this machine alone */
  host: label('127.0.0.1'),
  /** Certificate and private key in PEM, for HTTPS. @default HTTP */
  tls: any<{ readonly cert: string | Buffer; readonly key: string | Buffer }>(),
  /** Longest time for a request to arrive, for each further MiB of a long body, and for which a connection is silent, in milliseconds. @default 60,000 */
  requestTimeoutMs: ms(60_000),
  /** Longest time that `close` waits for requests under way, in milliseconds; then their connections are cut. @default 10,000 */
  closeTimeoutMs: ms(10_000),
  /** Most connections; more are closed at once. @default 10,000 */
  maxConnections: whole(10_000),
}

/** How a server listens. */
export interface ListenOptions extends ListenerOptions, OptionsOf<typeof table> {}

/** A server that listens. */
export interface Listening {
  readonly url: string
  readonly server: Server
  /** Take no more connections, end those that are idle, and wait for the requests under way, at most `closeTimeoutMs`. */
  close(): Promise<void>
}

/** Listen, on this machine alone unless a host is named. */
export async function listen(server: HttpServer, options: ListenOptions = {}): Promise<Listening> {
  const settings = readOptions('listen', { ...table, ...listenerTable }, options)
  const { port, host, tls, maxConnections, requestTimeoutMs, closeTimeoutMs } = settings
  const limits = { requestTimeout: 0, headersTimeout: Math.min(20_000, requestTimeoutMs) }
  const node: Server = tls === undefined ? createServer(limits) : createTlsServer({ ...limits, ...tls })
  const connections = new Connections(node)
  const answer = nodeListener(server, settings)
  node.on(
    'request',
    connections.inTurn((request, response) => {
      limitBody(request, response, requestTimeoutMs)
      return answer(request, response)
    }),
  )
  node.maxConnections = maxConnections
  // A reader that does not read must not keep its answer in memory for ever.
  node.timeout = requestTimeoutMs
  // Their length is limited. Above a number Node.js would leave headers out, and so a condition.
  node.maxHeadersCount = 0
  await new Promise<void>((resolve, reject) => {
    node.once('error', reject).listen(port, host, resolve)
  })
  const { port: bound } = node.address() as AddressInfo
  const scheme = tls === undefined ? 'http' : 'https'
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    server: node,
    close: () => connections.close(closeTimeoutMs),
  }
}
