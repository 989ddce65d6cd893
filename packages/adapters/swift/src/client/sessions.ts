import type { CallOptions } from '@unikv/core'
import { attempt, callOptions } from '@unikv/core/adapter'
import { performance, wallClock } from '@unikv/core/platform'
import type { Session } from './sign-in.ts'

/** A token is renewed this long before its end, so that none ends on its way. */
const marginMs = 60_000
const signInTimeoutMs = 10_000

/** The session in force: got on first use, renewed before its end and when it is refused, once for all who wait. */
export class Sessions {
  readonly #signIn: (call: CallOptions) => Promise<Session>
  #current: Session | undefined
  #renewing: Promise<Session> | undefined

  constructor(signIn: (call: CallOptions) => Promise<Session>) {
    this.#signIn = signIn
  }

  /** A session that is good for now, within the deadline of the call. */
  get(call: CallOptions): Session | Promise<Session> {
    const current = this.#current
    if (current !== undefined && wallClock() < current.endsAt - marginMs) return current
    return attempt(call, false, () => this.#renew())
  }

  /** This one was refused: another one from now on. */
  refuse(session: Session): void {
    if (this.#current === session) this.#current = undefined
  }

  #renew(): Promise<Session> {
    this.#renewing ??= this.#signIn(callOptions({ deadlineAt: performance.now() + signInTimeoutMs }))
      .then((session) => {
        this.#current = session
        return session
      })
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }
}
