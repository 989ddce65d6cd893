import { causeOf, unanswered, unreachable } from '../adapter/adapter-errors.ts'
import type { StoreError } from '../contract/errors.ts'
import type { CallOptions } from '../contract/store.ts'
import type { HttpAttempt } from './attempt.ts'
import { HttpConnections, type HttpSettings } from './connections.ts'
import type { HttpRequest } from './request.ts'
import { bodyOf } from './response.ts'

/** One request of a store that speaks HTTP. */
export interface HttpAsk {
  readonly method: string
  /** Path and query, escaped. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Uint8Array | string | undefined
}

/** The response of the server, with any status. */
export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Whole requests and answers with one server. It follows no redirect and repeats nothing. */
export class HttpClient {
  /** The server with host and port, for messages. */
  readonly where: string
  readonly #connections: HttpConnections
  readonly #target: Pick<HttpRequest, 'protocol' | 'hostname' | 'port'>

  /** `server` is the name in messages. The URL is `http:` or `https:`; its path is ignored. Does not connect yet. */
  constructor(server: string, origin: URL, settings: HttpSettings) {
    const { protocol, hostname, port, host } = origin
    this.where = `${server} at ${host}`
    this.#connections = new HttpConnections(settings)
    this.#target = { protocol, hostname, port: port === '' ? undefined : Number(port) }
  }

  /**
   * Send a request, within the deadline and the signal of a call, and resolve to the answer. Sets `call.sent` when a
   * write goes out.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait, `UNAVAILABLE`; `OUTCOME_UNKNOWN` if a write was sent and
   *   nothing came back; `TIMEOUT`, `ABORTED`
   */
  ask(request: HttpAsk, call: CallOptions, isWrite: boolean): Promise<HttpAnswer> {
    const { method, path, headers = {}, body } = request
    const send = async (abortSignal: HttpAttempt): Promise<HttpAnswer> => {
      const { protocol, hostname, port } = this.#target
      const whole = { protocol, hostname, port, method, path, headers, body }
      const { response } = await this.#connections.handle(whole, { abortSignal })
      const { statusCode: status, headers: answered } = response
      return { status, headers: answered, body: await bodyOf(response.body) }
    }
    return this.#connections.within(call, isWrite, send, (error, sent) => this.#failure(error, sent, isWrite))
  }

  /** Cut every connection. */
  close(): void {
    this.#connections.destroy()
  }

  #failure(error: unknown, sent: boolean, isWrite: boolean): StoreError {
    const cause = causeOf(error)
    return sent ? unanswered(this.where, isWrite, cause) : unreachable(this.where, cause)
  }
}
