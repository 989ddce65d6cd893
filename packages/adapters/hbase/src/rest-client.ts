import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { bodyOf } from '@unikv/core/http'

/** The REST gateway of HBase, spoken to directly. */
export interface HbaseRest {
  /** Where the gateway is, without user info. */
  readonly url: string
  /**
   * One request over the connections of the store. `path` begins with a slash and is encoded already. Resolves for
   * every status; rejects with the error of the connection.
   */
  request(method: RestMethod, path: string, options?: RestOptions): Promise<RestResponse>
}

/** What the gateway understands. */
export type RestMethod = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** What a request may carry. */
export interface RestOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
}

/** What the gateway answered. */
export interface RestResponse {
  readonly status: number
  readonly body: Buffer
}

/** A request under way. */
export interface RestRequest {
  readonly answer: Promise<RestResponse>
  readonly end: (reason?: Error) => unknown
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
  readonly #target: Pick<RequestOptions, 'host' | 'port'>
  readonly #authorization: string | undefined
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
    }
    this.#authorization = authorization
  }

  request(method: RestMethod, path: string, { body, signal }: RestOptions = {}): Promise<RestResponse> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error)
    const { answer, end } = this.start(method, path, body, () => {})
    if (signal === undefined) return answer
    const abort = (): void => void end(signal.reason as Error)
    signal.addEventListener('abort', abort)
    return answer.finally(() => signal.removeEventListener('abort', abort))
  }

  /**
   * As `request`. `sent` is told once there is a connection, over which it then goes at once; `end` ends the request if
   * that is still under way.
   */
  start(method: RestMethod, path: string, body: unknown, sent: () => void): RestRequest {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const { host, port } = this.#target
    const headers = this.#headersOf(payload)
    const request = this.#send({ host, port, agent: this.#agent, method, path, headers })
    const answer = new Promise<RestResponse>((resolve, reject) => {
      this.#underWay.add(request)
      request.on('close', () => this.#underWay.delete(request))
      request.on('error', reject)
      request.on('response', (response) => whole(response).then(resolve, reject))
      request.on('socket', (socket) => whenConnected(socket, sent))
      request.end(payload)
    })
    return { answer, end: (reason) => request.destroy(reason) }
  }

  /** Drop all connections. Requests under way fail. */
  close(): void {
    for (const request of this.#underWay) request.destroy(new Error('The store was closed.'))
    this.#agent.destroy()
  }

  #headersOf(payload: Buffer | undefined): Record<string, string> {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (this.#authorization !== undefined) headers['authorization'] = this.#authorization
    if (payload !== undefined) {
      headers['content-type'] = 'application/json'
      headers['content-length'] = String(payload.length)
    }
    return headers
  }
}

async function whole(response: IncomingMessage): Promise<RestResponse> {
  return { status: response.statusCode ?? 0, body: await bodyOf(response) }
}

function whenConnected(socket: Socket, sent: () => void): void {
  if (!socket.connecting) sent()
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', sent)
}
