import type { CallOptions } from '@unikv/core'
import { type HttpAnswer, type HttpAsk, HttpClient } from '@unikv/core/http-client'
import type { SwiftSettings } from '../options.ts'
import { Sessions } from './sessions.ts'
import { type Session, signIn } from './sign-in.ts'

/** Requests to the account, with the token in force. */
export class SwiftAccount {
  readonly #settings: SwiftSettings
  readonly #signIn: HttpClient
  readonly #sessions: Sessions
  /** The account is mostly where one signs in. */
  #storage: { readonly origin: string; readonly http: HttpClient } | undefined

  constructor(settings: SwiftSettings) {
    this.#settings = settings
    this.#signIn = clientOf(settings.authUrl, settings)
    this.#sessions = new Sessions((call) => signIn(this.#signIn, settings, call))
  }

  /**
   * Send a request to a path below the account. A refused token is renewed once, and the request sent again: the server
   * has done nothing for it.
   */
  async ask(request: HttpAsk, call: CallOptions, isWrite: boolean): Promise<HttpAnswer> {
    const session = await this.#session(call)
    const answer = await this.#send(session, request, call, isWrite)
    if (answer.status !== 401) return answer
    this.#sessions.refuse(session)
    return this.#send(await this.#session(call), request, call, isWrite)
  }

  /** The session in force. */
  session(call: CallOptions): Session | Promise<Session> {
    return this.#session(call)
  }

  /** Cut every connection. */
  close(): void {
    this.#signIn.close()
    this.#storage?.http.close()
  }

  #session(call: CallOptions): Session | Promise<Session> {
    return this.#sessions.get(call)
  }

  #send(
    { storageUrl, token }: Session,
    request: HttpAsk,
    call: CallOptions,
    isWrite: boolean,
  ): Promise<HttpAnswer> {
    const { method, body } = request
    const headers: Record<string, string> = { 'x-auth-token': token }
    Object.assign(headers, request.headers)
    const path = storageUrl.pathname.replace(/\/$/, '') + request.path
    return this.#client(storageUrl).ask({ method, path, headers, body }, call, isWrite)
  }

  #client(storageUrl: URL): HttpClient {
    const { origin } = storageUrl
    if (this.#storage?.origin !== origin) {
      this.#storage?.http.close()
      this.#storage = { origin, http: clientOf(storageUrl, this.#settings) }
    }
    return this.#storage.http
  }
}

function clientOf(url: URL, { maxConnections, queueLimit, tls }: SwiftSettings): HttpClient {
  return new HttpClient('Swift', url, { maxConnections, queueLimit, tls })
}
