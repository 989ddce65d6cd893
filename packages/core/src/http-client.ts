import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import type { AgentOptions } from 'node:https'
import { causeOf, unanswered, unreachable } from './adapter-errors.ts'
import { attempt } from './attempt.ts'
import { StoreError } from './errors.ts'
import type { CallOptions } from './store.ts'

/** One request of a store that speaks HTTP. */
export interface HttpRequest {
  readonly method: string
  /** Path and query, escaped. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Uint8Array | string | undefined
}

/** What the server said, whatever its status. */
export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Settings of an HTTP client. */
export interface HttpSettings {
  /** Most connections. */
  readonly connectionLimit: number
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. */
  readonly queueLimit: number
  /** Settings of TLS, for `https:`. @default those of Node.js */
  readonly tls?: HttpTls | undefined
}

/** Settings of TLS, as Node.js has them. */
export interface HttpTls {
  /** Certificates of authorities to trust, in place of the well-known ones. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined
  /** Certificate of the client. */
  readonly cert?: string | Buffer | undefined
  /** Key of the client. */
  readonly key?: string | Buffer | undefined
  /** Refuse a server whose certificate does not hold. @default true */
  readonly rejectUnauthorized?: boolean | undefined
}

/** A connection that waited this long is not used again: many servers drop it after 5 s, and a request could cross that. */
const idleMs = 4_000

/**
 * Requests over kept connections to one server, for stores that speak HTTP. What `fetch` does not tell, it tells: whether
 * a request that failed had been sent. It follows no redirect and repeats nothing.
 */
export class HttpClient {
  /** Host and port, for messages. */
  readonly host: string
  readonly #agent: Agent
  readonly #start: (options: RequestOptions) => ClientRequest
  readonly #target: RequestOptions
  /** What a socket says when it can be written to. */
  readonly #connected: 'connect' | 'secureConnect'
  readonly #most: number
  #underWay = 0

  private constructor(
    origin: URL,
    settings: HttpSettings,
    agent: Agent,
    start: (options: RequestOptions) => ClientRequest,
  ) {
    const secure = origin.protocol === 'https:'
    this.host = origin.host
    this.#agent = agent
    this.#start = start
    this.#target = {
      agent,
      protocol: origin.protocol,
      hostname: origin.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: origin.port || (secure ? 443 : 80),
    }
    this.#connected = secure ? 'secureConnect' : 'connect'
    this.#most = settings.connectionLimit + settings.queueLimit
  }

  /** A client for a URL of `http:` or `https:`. Loads the module; connects nowhere. */
  static async open(origin: URL, settings: HttpSettings): Promise<HttpClient> {
    const options: AgentOptions = {
      keepAlive: true,
      maxSockets: settings.connectionLimit,
      timeout: idleMs,
      ...(settings.tls as AgentOptions | undefined),
    }
    if (origin.protocol === 'https:') {
      const { Agent: SecureAgent, request } = await import('node:https')
      return new HttpClient(origin, settings, new SecureAgent(options), request)
    }
    const { Agent: PlainAgent, request } = await import('node:http')
    return new HttpClient(origin, settings, new PlainAgent(options), request)
  }

  /**
   * Send a request, within the deadline and the signal of a call, and resolve to the answer. Sets `call.sent` when a
   * write goes out.
   *
   * @throws {StoreError} `OVERLOADED` at once if too many wait, `UNAVAILABLE`; `OUTCOME_UNKNOWN` if a write was sent and
   *   nothing came back; `TIMEOUT`, `ABORTED`
   */
  async ask(request: HttpRequest, call: CallOptions, isWrite: boolean): Promise<HttpAnswer> {
    if (this.#underWay >= this.#most) throw overloaded()
    // Of its own: another request of the same call may have been sent already.
    const own: CallOptions = {
      deadlineAt: call.deadlineAt,
      signal: call.signal,
      sent: false,
      settled: call.settled === true,
    }
    const onSent = (): void => {
      own.sent = true
      if (isWrite) call.sent = true
    }
    this.#underWay++
    try {
      return await attempt(own, isWrite, (ended) => this.#exchange(request, onSent, ended))
    } catch (error) {
      throw error instanceof StoreError ? error : this.#failure(error, own.sent === true, isWrite)
    } finally {
      this.#underWay--
    }
  }

  /** Cut every connection. */
  close(): void {
    this.#agent.destroy()
  }

  #exchange(request: HttpRequest, onSent: () => void, ended: AbortSignal): Promise<HttpAnswer> {
    return new Promise<HttpAnswer>((resolve, reject) => {
      const { method, path, headers, body } = request
      const exchange = this.#start({ ...this.#target, method, path, headers })
      exchange.once('socket', (socket) => {
        if (socket.connecting) socket.once(this.#connected, onSent)
        else onSent()
      })
      exchange.once('response', (response) => collect(response).then(resolve, reject))
      exchange.on('error', reject)
      // The connection goes with the call, so that a late answer reaches nobody else.
      ended.addEventListener('abort', () => exchange.destroy(), { once: true })
      exchange.end(body)
    })
  }

  #failure(error: unknown, sent: boolean, isWrite: boolean): StoreError {
    const cause = causeOf(error)
    if (sent) return unanswered(this.host, isWrite, cause)
    const { code } = cause as { readonly code?: unknown }
    if (
      typeof code !== 'string' ||
      !/^(ERR_TLS_|ERR_SSL_|EPROTO|CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_)/.test(code)
    )
      return unreachable(this.host, cause)
    const message = `No trusted TLS with ${this.host} (${code}); nothing was sent.`
    return new StoreError('UNAVAILABLE', message, { cause, retryable: false })
  }
}

async function collect(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  return { status: response.statusCode as number, headers: response.headers, body }
}

function overloaded(): StoreError {
  return new StoreError(
    'OVERLOADED',
    'Too many requests wait for a connection already. Send fewer, or raise connectionLimit.',
  )
}
