import type { CallOptions } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { HttpClient } from '@unikv/core/http-client'
import type { HbaseSettings } from '../options.ts'

/** The REST gateway of HBase, spoken to directly. */
export interface HbaseRest {
  /** Where the gateway is, without user info. */
  readonly url: string
  /**
   * One request over the connections of the store. `path` begins with a slash and is encoded already. Resolves for
   * every status.
   *
   * @throws {StoreError} `UNAVAILABLE`, `OVERLOADED`, `ABORTED`; `OUTCOME_UNKNOWN` if what may change something was sent
   *   and not answered
   */
  request(method: RestMethod, path: string, options?: RestOptions): Promise<RestResponse>
}

/** Methods of the gateway. */
export type RestMethod = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** Options of a request. */
export interface RestOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
}

/** The gateway's answer. */
export interface RestResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Connections that stay open for the next request, opened as they are needed. */
export class RestClient implements HbaseRest {
  readonly url: string
  readonly #http: HttpClient
  readonly #authorization: string | undefined

  constructor({ url, authorization, maxConnections, queueLimit, tls }: HbaseSettings) {
    this.url = url.origin
    this.#http = new HttpClient('The REST gateway of HBase', url, { maxConnections, queueLimit, tls })
    this.#authorization = authorization
  }

  /** The gateway, for messages. */
  get where(): string {
    return this.#http.where
  }

  request(method: RestMethod, path: string, { body, signal }: RestOptions = {}): Promise<RestResponse> {
    const call = callOptions(signal === undefined ? {} : { signal })
    return this.ask(call, { method, path, body, isWrite: method !== 'GET' })
  }

  /** As `request`, within the deadline of a call, of which `sent` is set when a write goes out. */
  ask(call: CallOptions, { method, path, body, isWrite }: RestAsk): Promise<RestResponse> {
    const headers: Record<string, string> = { accept: 'application/json' }
    if (this.#authorization !== undefined) headers['authorization'] = this.#authorization
    const text = body === undefined ? undefined : JSON.stringify(body)
    if (text !== undefined) headers['content-type'] = 'application/json'
    return this.#http.ask({ method, path, headers, body: text }, call, isWrite)
  }

  /** Drop all connections. Requests under way fail. */
  close(): void {
    this.#http.close()
  }
}

/** One request. */
export interface RestAsk {
  readonly method: RestMethod
  /** Encoded. */
  readonly path: string
  readonly body?: unknown
  /** Whether it changes something. */
  readonly isWrite: boolean
}
