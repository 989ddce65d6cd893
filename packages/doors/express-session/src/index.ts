import type { EventEmitter } from 'node:events'
import type { KeyValue, Supporting } from '@unikv/core'
// @ts-expect-error: it has no types of its own.
import session from 'express-session'
import { type SessionOptions, type SessionStore, sessionStore as sessions } from './sessions.ts'

export type { SessionCookie, SessionData } from './cookies.ts'
export type { SessionOptions, SessionStore } from './sessions.ts'

/** The methods that express-session's own class `Store` adds for express-session itself. */
export interface ExpressStore {
  /** Called by `request.session.regenerate()`. */
  regenerate(request: never, callback: (error?: unknown) => void): void
  /** The session of an id. */
  load(id: string, callback: (error?: unknown, session?: never) => void): void
  /** Makes an object of the class `Session`. */
  createSession(request: never, session: never): never
}

/**
 * A store for `session({ store })` of express-session, and an instance of its class `Store`.
 *
 * @param kv with `json()`; keys are the ids of the sessions, so give them a namespace of their own
 * @throws {StoreError} `UNSUPPORTED` if the store cannot let records expire
 */
export function sessionStore<V>(
  kv: KeyValue<string, V, Supporting<'ttl'>>,
  options?: SessionOptions,
): SessionStore & ExpressStore & EventEmitter {
  const store: ExpressStore & EventEmitter = new session.Store()
  return Object.assign(store, sessions(kv, options))
}
