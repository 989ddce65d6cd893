import { Agent, request as requestPlain } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { closed } from '../adapter/adapter-errors.ts'
import { bounded } from '../adapter/attempt.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { CallOptions } from '../contract/store.ts'
import { monotonicClock } from '../platform/timers.ts'
import { HttpAttempt } from './attempt.ts'
import { type HttpRequest, optionsOf } from './request.ts'
import { type HttpResponse, responseOf } from './response.ts'

/** How many connections there may be, and how TLS is spoken over them. */
export interface HttpSettings {
  /** Most connections to one host. */
  readonly maxConnections: number
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
  /** Most requests under way, with those that wait. */
  readonly #limit: number
  /** The functions that abort each running or waiting request. */
  readonly #endings = new Set<() => void>()
  #underWay = 0
  #usedAt = 0
  #isClosed = false

  constructor({ maxConnections, queueLimit, tls = {} }: HttpSettings) {
    const shared = {
      keepAlive: true,
      maxSockets: maxConnections,
      scheduling: 'lifo',
      timeout: idleMs,
    } as const
    this.#plain = new Agent(shared)
    this.#tls = new TlsAgent({ ...(tls as object), ...shared })
    this.#limit = maxConnections + queueLimit
  }

  /**
   * Ask within the deadline of a call; the request that is made with the attempt belongs to it. `call.sent` is set when
   * that of a write goes out. `failed` makes an error of what `ask` was rejected with.
   *
   * @throws {StoreError} `TIMEOUT`, `ABORTED`, `OUTCOME_UNKNOWN`, and what `failed` returns
   */
  within<T>(
    call: CallOptions,
    isWrite: boolean,
    ask: (attempt: HttpAttempt) => Promise<T>,
    failed: (error: unknown, sent: boolean) => StoreError,
  ): Promise<T> {
    const attempt = new HttpAttempt(call, isWrite)
    const asked = (): Promise<T> =>
      ask(attempt).catch((error: unknown) => {
        throw isStoreError(error) ? error : failed(error, attempt.call.sent)
      })
    return bounded(attempt.call, isWrite, asked, () => attempt.end())
  }

  /**
   * Send one request. Rejects with the error of the connection.
   *
   * @throws {StoreError} `OVERLOADED` if too many wait, `CLOSED`; `TIMEOUT` or `ABORTED` if the call ends before it goes out
   */
  handle(
    request: HttpRequest,
    { abortSignal }: { readonly abortSignal?: HttpAttempt } = {},
  ): Promise<{ response: HttpResponse }> {
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#underWay >= this.#limit) return Promise.reject(overloaded())
    return this.#send(request, abortSignal ?? request.attempt)
  }

  /**
   * Close all connections, also busy ones. Waiting requests are aborted first: an agent opens new connections for
   * it whose others are gone.
   */
  destroy(): void {
    this.#isClosed = true
    for (const giveUp of this.#endings) giveUp()
    for (const agent of [this.#plain, this.#tls]) {
      Object.assign(agent, { createConnection: refuseConnection })
      agent.destroy()
    }
  }

  /** The agent's own timers tell nothing after a pause of the process: connections may have died meanwhile. */
  #leaveIdle(): void {
    const now = monotonicClock()
    if (now - this.#usedAt > idleMs) this.#closeIdle()
    this.#usedAt = now
  }

  /** If a connection did not answer in time, idle connections may have the same fault. */
  #closeIdle(): void {
    for (const { freeSockets } of [this.#plain, this.#tls])
      for (const socket of Object.values(freeSockets).flat()) socket?.destroy()
  }

  #send(request: HttpRequest, attempt: HttpAttempt | undefined): Promise<{ response: HttpResponse }> {
    const isTls = request.protocol === 'https:'
    this.#leaveIdle()
    return new Promise((resolve, reject) => {
      const outgoing = isTls
        ? requestTls(optionsOf(request, this.#tls))
        : requestPlain(optionsOf(request, this.#plain))
      this.#underWay++
      let isUnderWay = true
      const over = (): void => {
        if (isUnderWay) this.#underWay--
        isUnderWay = false
      }
      // A waiting request tells of its end by no event: it has no connection yet.
      const giveUp = (): void => {
        over()
        reject(new Error('The store was closed.'))
        outgoing.destroy()
      }
      this.#endings.add(giveUp)
      const out = (): void => {
        const refusal = attempt?.goesOut()
        if (refusal === undefined) return
        reject(refusal)
        outgoing.destroy()
      }
      outgoing
        .once('socket', (socket) => {
          if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', out)
          else out()
        })
        .once('response', (incoming) => {
          // From now on its connection ends it: given up, a body that is cut off would look whole.
          this.#endings.delete(giveUp)
          // Before the reader of the body sees its end, and sends another request.
          incoming.once('end', over)
          const response = responseOf(incoming)
          if (attempt !== undefined) attempt.answer = response
          resolve({ response })
        })
        .once('close', () => {
          over()
          this.#endings.delete(giveUp)
        })
        // Also after the answer: an aborted body ends with an error of its own.
        .on('error', (error) => {
          over()
          reject(error)
        })
      if (attempt !== undefined)
        attempt.onabort = () => {
          over()
          outgoing.destroy()
          if (attempt.isOverdue) this.#closeIdle()
        }
      if (attempt?.aborted === true) outgoing.destroy()
      outgoing.end(request.body as string | Uint8Array | undefined)
    })
  }
}

function overloaded(): StoreError {
  return new StoreError('OVERLOADED', 'Too many requests are waiting for a connection; nothing was sent.')
}

/** In the place of an agent's own: it would connect for requests that were given up. */
function refuseConnection(_options: unknown, told: (error: Error) => void): void {
  told(new Error('The store was closed.'))
}
