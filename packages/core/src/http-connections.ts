import { Agent, request as requestPlain } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { attempt } from './attempt.ts'
import { StoreError } from './errors.ts'
import { type HttpRequest, type HttpResponse, optionsOf, responseOf } from './http-message.ts'
import type { CallOptions } from './store.ts'

/** How many connections there may be, and how TLS is spoken over them. */
export interface HttpSettings {
  /** Most connections to one host. */
  readonly maxSockets: number
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. */
  readonly queueLimit: number
  /** Settings of TLS. @default those of Node */
  readonly tls?: HttpTls | undefined
}

/** Settings of TLS. */
export interface HttpTls {
  /** Certificates of who may sign that of the server, as PEM. @default those of Node */
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined
  /** Our own certificate, as PEM. */
  readonly cert?: string | Buffer | undefined
  /** The key of our own certificate, as PEM. */
  readonly key?: string | Buffer | undefined
  /** Whether the certificate must be valid, and for this host. @default true */
  readonly rejectUnauthorized?: boolean | undefined
}

/** A connection that waited this long is closed: many servers drop it after 5 s, and a request could cross that. */
const idleMs = 4_000

/**
 * Connections that know of every request whether it went out: until its first byte was handed to an open connection
 * (TLS included) it was certainly not sent. Nothing is sent twice, and idle connections hold no process.
 *
 * `handle` has the form of a request handler of the AWS SDK.
 */
export class HttpConnections {
  readonly metadata: { readonly handlerProtocol: string } = { handlerProtocol: 'http/1.1' }
  readonly #plain: Agent
  readonly #tls: TlsAgent
  readonly #queueLimit: number
  readonly #onSent = new WeakMap<AbortSignal, () => void>()
  #waiting = 0

  constructor({ maxSockets, queueLimit, tls = {} }: HttpSettings) {
    const shared = { keepAlive: true, maxSockets, scheduling: 'lifo', timeout: idleMs } as const
    this.#plain = new Agent(shared)
    this.#tls = new TlsAgent({ ...(tls as object), ...shared })
    this.#queueLimit = queueLimit
  }

  /**
   * Ask within the deadline of a call; requests that are made with the signal belong to it. `call.sent` is set when
   * one of a write goes out. `failed` makes an error of what `ask` was rejected with.
   *
   * @throws {StoreError} `TIMEOUT`, `ABORTED`, `OUTCOME_UNKNOWN`, and what `failed` returns
   */
  within<T>(
    call: CallOptions,
    isWrite: boolean,
    ask: (ended: AbortSignal) => Promise<T>,
    failed: (error: unknown, sent: boolean) => StoreError,
  ): Promise<T> {
    // Of its own: other requests of the same call may be out already.
    const { deadlineAt, signal, settled = false } = call
    const one: CallOptions = { deadlineAt, signal, settled, sent: false }
    const asked = (ended: AbortSignal): Promise<T> => {
      this.#onSent.set(ended, () => {
        one.sent = true
        if (isWrite) call.sent = true
      })
      return ask(ended).catch((error: unknown) => {
        throw error instanceof StoreError ? error : failed(error, one.sent === true)
      })
    }
    return attempt(one, isWrite, asked)
  }

  /**
   * Send one request. Rejects with the error of the connection.
   *
   * @throws {StoreError} `OVERLOADED` if too many wait
   */
  handle(
    request: HttpRequest,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<{ response: HttpResponse }> {
    if (this.#waiting >= this.#queueLimit) return Promise.reject(overloaded())
    this.#waiting++
    return this.#send(request, abortSignal, () => {
      this.#waiting--
    })
  }

  /** Close all connections, also those under way. */
  destroy(): void {
    this.#plain.destroy()
    this.#tls.destroy()
  }

  #send(
    request: HttpRequest,
    signal: AbortSignal | undefined,
    leaveQueue: () => void,
  ): Promise<{ response: HttpResponse }> {
    const isTls = request.protocol === 'https:'
    return new Promise((resolve, reject) => {
      const outgoing = isTls
        ? requestTls({ ...optionsOf(request), agent: this.#tls })
        : requestPlain({ ...optionsOf(request), agent: this.#plain })
      const abort = (): unknown => outgoing.destroy()
      let isQueued = true
      const leave = (): void => {
        if (isQueued) leaveQueue()
        isQueued = false
      }
      const out = (): void => {
        leave()
        if (signal !== undefined) this.#onSent.get(signal)?.()
      }
      outgoing
        .once('socket', (socket) => {
          if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', out)
          else out()
        })
        .once('response', (incoming) => resolve({ response: responseOf(incoming) }))
        .once('close', () => {
          leave()
          signal?.removeEventListener('abort', abort)
        })
        // Also after the answer: an aborted body ends with an error of its own.
        .on('error', reject)
      signal?.addEventListener('abort', abort)
      if (signal?.aborted === true) abort()
      outgoing.end(request.body as string | Uint8Array | undefined)
    })
  }
}

function overloaded(): StoreError {
  return new StoreError('OVERLOADED', 'Too many requests wait for a connection; nothing was sent.')
}
