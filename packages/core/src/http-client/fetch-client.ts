import { causeOf, isUntrusted, unanswered, unreachable } from '../adapter/adapter-errors.ts'
import { attempt } from '../adapter/attempt.ts'
import type { Awaitable } from '../contract/awaitable.ts'
import { endOf, leftMs } from '../contract/call.ts'
import { derive } from '../contract/derive.ts'
import { isStoreError, type StoreError } from '../contract/errors.ts'
import type { CallOptions } from '../contract/store.ts'
import { Lanes } from './lanes.ts'

/** One request of a store that needs `fetch` alone. */
export interface FetchAsk {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: Uint8Array | string | undefined
}

/** An answer with its whole body. */
export interface FetchAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Sends requests by `fetch` alone, each once: no redirect is followed, and nothing is repeated. */
export class FetchClient {
  readonly #where: string
  readonly #send: (url: string, init: RequestInit) => Promise<Response>
  readonly #lanes: Lanes

  /** `where` names the server in messages. `maxConcurrent`: further requests wait for their turn. */
  constructor(
    where: string,
    maxConcurrent: number,
    send: (url: string, init: RequestInit) => Promise<Response>,
  ) {
    this.#where = where
    this.#send = send
    this.#lanes = new Lanes(maxConcurrent)
  }

  /**
   * Ask within the deadline of a call. `make` makes the request when it is about to be sent; `read` takes the answer, and throws
   * errors that say of a write whether it took effect.
   *
   * @throws {StoreError} `UNAVAILABLE`, and `OUTCOME_UNKNOWN` for a write that was sent and not answered
   */
  ask<T>(
    call: CallOptions,
    isWrite: boolean,
    make: (leftMs: number) => Awaitable<FetchAsk>,
    read: (answer: FetchAnswer) => T,
  ): Promise<T> {
    const own = derive(call, { sent: isWrite ? 'part' : 'own' })
    own.sent = false
    return attempt(own, isWrite, async (signal) => {
      const leave = await this.#lanes.enter()
      try {
        const ask = await make(leftMs(own))
        const end = endOf(own, isWrite)
        if (end !== undefined) throw end
        own.sent = true
        return read(await this.#sent(ask, signal))
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

  async #sent({ method, url, headers = {}, body }: FetchAsk, signal: AbortSignal): Promise<FetchAnswer> {
    const given = Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined)
    const init = { method, headers: given, signal, redirect: 'manual' } as const
    const response = await this.#send(url, { ...init, body: (body ?? null) as string | null })
    const { status, headers: said } = response
    return { status, headers: said, body: await wholeOf(response) }
  }

  #failure(error: unknown, isWrite: boolean, sent: boolean): StoreError {
    const { cause = error } = Object(error) as { readonly cause?: unknown }
    const { code } = Object(cause) as { readonly code?: unknown }
    const isUnconnected = isUntrusted(cause) || (typeof code === 'string' && neverConnected.has(code))
    const wasUnsent = !sent || isUnconnected
    return wasUnsent
      ? unreachable(this.#where, causeOf(cause))
      : unanswered(this.#where, isWrite, causeOf(cause))
  }
}

/** Longest body of an answer in bytes, also once it is decompressed: a server that never ends must not fill the memory. */
const longestAnswer = 268_435_456

async function wholeOf({ body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    parts.push(next.value)
    length += next.value.length
    if (length <= longestAnswer) continue
    void reader?.cancel().catch(() => {})
    throw new Error(`The answer is longer than ${longestAnswer} bytes.`)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
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

/** The JSON of a body; `undefined`: it is none. */
export function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
