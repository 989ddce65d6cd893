import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { checkFactoryOptions, checkMs, checkPositive, type OptionNames } from '@unikv/core/adapter'
import type { HttpServer } from '../server/gate.ts'
import { Connections } from './connections.ts'
import { type ListenerOptions, nodeListener } from './listener.ts'
import { limitBody } from './slow-bodies.ts'

/** How a server listens. */
export interface ListenOptions extends ListenerOptions {
  /** @default 0: any that is free */
  readonly port?: number | undefined
  /** @default '127.0.0.1': this machine alone */
  readonly host?: string | undefined
  /** Certificate and private key in PEM, for HTTPS. @default HTTP */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined
  /** Longest time for a request to arrive, for each further MiB of a long body, and for which a connection is silent, in milliseconds. @default 60000 */
  readonly requestTimeoutMs?: number | undefined
  /** Longest time that `close` waits for requests under way, in milliseconds; then their connections are cut. @default 10000 */
  readonly closeTimeoutMs?: number | undefined
  /** Most connections; more are closed at once. @default 10000 */
  readonly maxConnections?: number | undefined
}

const optionNames: OptionNames<ListenOptions> = {
  port: true,
  host: true,
  tls: true,
  requestTimeoutMs: true,
  replaceGlobals: true,
  closeTimeoutMs: true,
  maxConnections: true,
}

/** A server that listens. */
export interface Listening {
  readonly url: string
  readonly server: Server
  /** Take no more connections, end those that are idle, and wait for the requests under way, at most `closeTimeoutMs`. */
  close(): Promise<void>
}

/** Listen, on this machine alone unless a host is named. */
export async function listen(server: HttpServer, options: ListenOptions = {}): Promise<Listening> {
  checkFactoryOptions('listen', options, optionNames)
  const { port = 0, host = '127.0.0.1', tls, maxConnections = 10_000 } = options
  const { requestTimeoutMs = 60_000, closeTimeoutMs = 10_000 } = options
  checkMs({ requestTimeoutMs, closeTimeoutMs })
  checkPositive({ maxConnections })
  const limits = { requestTimeout: 0, headersTimeout: Math.min(20_000, requestTimeoutMs) }
  const node: Server = tls === undefined ? createServer(limits) : createTlsServer({ ...limits, ...tls })
  const connections = new Connections(node)
  const answer = nodeListener(server, options)
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
