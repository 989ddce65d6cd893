import { type CallOptions, isStoreError, type StoreError } from '@unikv/core'
import {
  attempt,
  causeOf,
  closed,
  derive,
  endOf,
  isUntrusted,
  leftMs,
  unanswered,
  unreachable,
} from '@unikv/core/adapter'
import { oddAnswer } from '@unikv/core/http-client'
import { names, protocol } from '../protocol/headers.ts'
import { errorIn, problemType } from '../protocol/problems.ts'
import { refusedBy } from './errors.ts'
import type { HttpStoreSettings } from './options.ts'

/** One request of the store. */
export interface Ask {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'PATCH' | 'POST'
  /** Behind the address of the store, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: Uint8Array | string | undefined
}

/** An answer of the server with its whole body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Sends requests by `fetch` alone, each once: no redirect is followed, and nothing is repeated. */
export class Client {
  readonly where: string
  readonly #settings: HttpStoreSettings
  readonly #lanes: Lanes

  constructor(settings: HttpStoreSettings) {
    this.where = settings.where
    this.#settings = settings
    this.#lanes = new Lanes(settings.maxConcurrent)
  }

  /**
   * Ask within the deadline of a call. Statuses from 200 to 499 are answers, if they are of a server of unikv; problems are thrown.
   *
   * @throws {StoreError} that of the server; `UNAVAILABLE`, and `OUTCOME_UNKNOWN` for a write that was sent and not answered
   */
  ask(ask: Ask, call: CallOptions, isWrite: boolean): Promise<Answer> {
    const own = derive(call, { sent: isWrite ? 'part' : 'own' })
    own.sent = false
    return attempt(own, isWrite, async (signal) => {
      const leave = await this.#lanes.enter()
      try {
        const authorization = await this.#settings.authorization()
        const end = endOf(own, isWrite)
        if (end !== undefined) throw end
        own.sent = true
        return this.#understood(await this.#sent(ask, authorization, leftMs(own), signal), isWrite)
      } catch (error) {
        throw isStoreError(error) ? error : this.#failure(error, isWrite, own.sent)
      } finally {
        leave()
      }
    })
  }

  /** Refuse those that wait: nothing of them was sent. */
  close(): void {
    this.#lanes.close()
  }

  async #sent(
    ask: Ask,
    authorization: string | undefined,
    left: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { address, send } = this.#settings
    const given = { ...ask.headers, authorization, [names.timeout]: timeoutFor(left) }
    const headers = Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined)
    const body = (ask.body ?? null) as string | null
    const response = await send(`${address}${ask.path}`, {
      method: ask.method,
      headers,
      body,
      signal,
      redirect: 'manual',
    })
    return {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    }
  }

  #understood(answer: Answer, isWrite: boolean): Answer {
    const { status, headers, body } = answer
    const type = headers.get('content-type') ?? ''
    const isProblem = type.startsWith(problemType)
    if (headers.get(names.protocol) !== protocol || (status >= 400 && !isProblem && body.length > 0))
      throw this.odd(isWrite)
    if (!isProblem || status === 404) return answer
    throw this.#told(answer, isWrite)
  }

  /** The error of a server that refused, or whose store did. */
  #told({ status, body }: Answer, isWrite: boolean): StoreError {
    const problem = jsonOf(body)
    const { code, detail } = Object(problem) as { readonly code?: unknown; readonly detail?: unknown }
    return errorIn(problem) ?? refusedBy(this.where, status, code, detail) ?? this.odd(isWrite)
  }

  /** The error for an answer that is none to what was asked. */
  odd(isWrite: boolean): StoreError {
    return oddAnswer(this.where, 'a server of unikv', isWrite)
  }

  #failure(error: unknown, isWrite: boolean, sent: boolean): StoreError {
    const { cause = error } = Object(error) as { readonly cause?: unknown }
    const { code } = Object(cause) as { readonly code?: unknown }
    const isUnconnected = isUntrusted(cause) || (typeof code === 'string' && neverConnected.has(code))
    const wasUnsent = !sent || isUnconnected
    return wasUnsent
      ? unreachable(this.where, causeOf(cause))
      : unanswered(this.where, isWrite, causeOf(cause))
  }
}

/** Codes of Node.js for a connection that did not come about. Other platforms tell nothing: then a write is unknown. */
const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** The server ends a little before its caller does, so that its answer still comes. */
function timeoutFor(leftMs: number): string | undefined {
  return Number.isFinite(leftMs) ? String(Math.max(1, Math.floor(leftMs))) : undefined
}

/** The JSON of a body; `undefined`: it is none. */
export function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

/** So many requests at the same time; others wait for their turn. */
class Lanes {
  #free: number
  #isClosed = false
  readonly #waiting: { begin: () => void; refuse: (error: StoreError) => void }[] = []

  constructor(lanes: number) {
    this.#free = lanes
  }

  async enter(): Promise<() => void> {
    if (this.#isClosed) throw closed()
    if (this.#free > 0) this.#free--
    else await new Promise<void>((begin, refuse) => this.#waiting.push({ begin, refuse }))
    return () => {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next.begin()
    }
  }

  close(): void {
    this.#isClosed = true
    for (const { refuse } of this.#waiting.splice(0)) refuse(closed())
  }
}
