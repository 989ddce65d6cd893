import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'

/** The REST gateway of HBase, spoken to directly. */
export interface HbaseRest {
  /** Where the gateway is, without user info. */
  readonly url: string
  /**
   * One request over the connections of the store. `path` begins with a slash and is encoded already. Resolves for
   * every status; rejects with the error of the connection.
   */
  request(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    options?: RestOptions,
  ): Promise<RestResponse>
}

/** What a request may carry. */
export interface RestOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
  /** Told once the request has a connection, over which it then goes at once. */
  readonly sent?: (() => void) | undefined
}

/** What the gateway answered. */
export interface RestResponse {
  readonly status: number
  readonly body: Buffer
}

/** How the gateway is connected to. */
export interface RestSettings {
  readonly url: URL
  readonly authorization: string | undefined
  readonly connectionLimit: number
}

/** Shorter than the patience of the gateway with idle connections (30 s), so that none is used that it is closing. */
const idleMs = 15_000

/** Connections that stay open for the next request, opened as they are needed. */
export class RestClient implements HbaseRest {
  readonly url: string
  readonly #agent: HttpAgent
  readonly #send: typeof httpRequest
  readonly #target: RequestOptions
  readonly #headers: Readonly<Record<string, string>>
  readonly #underWay = new Set<ClientRequest>()

  constructor({ url, authorization, connectionLimit }: RestSettings) {
    const isTls = url.protocol === 'https:'
    const Agent = isTls ? HttpsAgent : HttpAgent
    this.url = url.origin
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionLimit, timeout: idleMs })
    this.#send = isTls ? httpsRequest : httpRequest
    this.#target = {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (isTls ? 443 : 80) : url.port,
      agent: this.#agent,
    }
    this.#headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) }
  }

  request(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    { body, signal, sent }: RestOptions = {},
  ): Promise<RestResponse> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = { ...this.#headers, ...(payload === undefined ? {} : jsonOf(payload)) }
    return new Promise((resolve, reject) => {
      const request = this.#send({ ...this.#target, method, path, headers, ...(signal && { signal }) })
      this.#underWay.add(request)
      request.on('close', () => this.#underWay.delete(request))
      request.on('error', reject)
      request.on('response', (response) => whole(response).then(resolve, reject))
      if (sent !== undefined) request.on('socket', (socket) => whenConnected(socket, sent))
      request.end(payload)
    })
  }

  /** Drop all connections. Requests under way fail. */
  close(): void {
    for (const request of this.#underWay) request.destroy(new Error('The store was closed.'))
    this.#agent.destroy()
  }
}

function jsonOf(payload: Buffer): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(payload.length) }
}

async function whole(response: IncomingMessage): Promise<RestResponse> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return { status: response.statusCode ?? 0, body: Buffer.concat(parts) }
}

function whenConnected(socket: Socket, sent: () => void): void {
  if (!socket.connecting) sent()
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', sent)
}
