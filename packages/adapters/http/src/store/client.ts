import type { CallOptions, StoreError } from '@unikv/core'
import { type FetchAnswer, FetchClient, jsonOf, oddAnswer } from '@unikv/core/http-client'
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
export type Answer = FetchAnswer

/** Asks a server of unikv. */
export class Client {
  readonly where: string
  readonly #settings: HttpStoreSettings
  readonly #fetch: FetchClient

  constructor(settings: HttpStoreSettings) {
    this.where = settings.where
    this.#settings = settings
    this.#fetch = new FetchClient(settings.where, settings.maxConcurrent, settings.send)
  }

  /**
   * Ask within the deadline of a call. Statuses from 200 to 499 are answers, if they are of a server of unikv; problems are thrown.
   *
   * @throws {StoreError} that of the server; `UNAVAILABLE`, and `OUTCOME_UNKNOWN` for a write that was sent and not answered
   */
  ask(ask: Ask, call: CallOptions, isWrite: boolean): Promise<Answer> {
    const { address, authorization } = this.#settings
    let secret: string | undefined
    return this.#fetch.ask(
      call,
      isWrite,
      async (left) => {
        secret = await authorization()
        const headers = { ...ask.headers, authorization: secret, [names.timeout]: timeoutFor(left) }
        return { method: ask.method, url: `${address}${ask.path}`, headers, body: ask.body }
      },
      (answer) => this.#understood(answer, isWrite, secret?.slice('Bearer '.length)),
    )
  }

  /** Refuse those that wait: nothing of them was sent. */
  close(): void {
    this.#fetch.close()
  }

  #understood(answer: Answer, isWrite: boolean, secret: string | undefined): Answer {
    const { status, headers, body } = answer
    const type = headers.get('content-type') ?? ''
    const isProblem = type.startsWith(problemType)
    if (headers.get(names.protocol) !== protocol || (status >= 400 && !isProblem && body.length > 0))
      throw this.odd(isWrite)
    if (!isProblem || status === 404) return answer
    throw this.#told(answer, isWrite, secret)
  }

  /** The error of a server that refused, or whose store did. */
  #told({ status, body }: Answer, isWrite: boolean, secret: string | undefined): StoreError {
    const problem = jsonOf(without(body, secret))
    const { code, detail } = Object(problem) as { readonly code?: unknown; readonly detail?: unknown }
    return errorIn(problem) ?? refusedBy(this.where, status, code, detail) ?? this.odd(isWrite)
  }

  /** The error for an answer that is none to what was asked. */
  odd(isWrite: boolean): StoreError {
    return oddAnswer(this.where, 'a server of unikv', isWrite)
  }
}

/** A body without the secret: what answers may say what it was asked with, and its words end in logs. */
function without(body: Uint8Array, secret: string | undefined): Uint8Array {
  const text = Buffer.from(body)
  return secret !== undefined && text.includes(secret)
    ? Buffer.from(text.toString().replaceAll(secret, '…'))
    : body
}

/** The server ends a little before its caller does, so that its answer still comes. */
function timeoutFor(leftMs: number): string | undefined {
  return Number.isFinite(leftMs) ? String(Math.max(1, Math.floor(leftMs))) : undefined
}
