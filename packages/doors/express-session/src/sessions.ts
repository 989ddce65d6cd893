import { type Entry, type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { checkedMs, checkFactoryOptions, checkKeyValue } from '@unikv/core/adapter'
import { nextTick, wallClock } from '@unikv/core/platform'

/** Options of `sessionStore`. */
export interface SessionOptions {
  /** Life of a session whose cookie has no expiry. @default 86_400_000 (one day) */
  readonly ttlMs?: number | undefined
}

/** The part of a session that a store reads; all of it is kept, as JSON. */
export interface SessionData {
  readonly cookie: SessionCookie
}

/** The members of a cookie that say when the session ends. */
export interface SessionCookie {
  readonly expires?: Date | string | number | boolean | null | undefined
  /** Milliseconds. */
  readonly maxAge?: number | null | undefined
  /** Milliseconds. */
  readonly originalMaxAge?: number | null | undefined
}

/** Called once, with the error or the answer. */
export type Callback<T = void> = (error?: unknown, answer?: T) => void

/** A session, whose type is known to the other library: each has one of its own. */
export type Known = any // oxlint-disable-line no-explicit-any -- it has to fit both

/** `undefined` if a callback was given. */
export type Answer<T = void> = Promise<T> | undefined

/** The methods that express-session and @fastify/session call. Without a callback a method returns a promise. */
export interface SessionStore {
  /** `null` if there is no such session. */
  get(id: string, callback: Callback<Known>): Answer<Known>
  /** A session whose cookie has expired is removed. */
  set(id: string, session: SessionData, callback?: Callback): Answer
  /** Remove a session; an absent one is a success. */
  destroy(id: string, callback?: Callback): Answer
  /** A new expiry; the data stays. Missing where a store can do neither this nor an update. */
  touch?: (id: string, session: SessionData, callback?: Callback) => Answer
  /** The sessions by their ids. This needs a store that lists its keys, as do the next two. */
  all(callback: Callback<Record<string, Known>>): Answer<Record<string, Known>>
  /** How many sessions there are. */
  length(callback: Callback<number>): Answer<number>
  /** Remove all sessions: all of the KeyValue. */
  clear(callback?: Callback): Answer
}

/** A store for @fastify/session. The main entry has the one for express-session. Parameters and errors as there. */
export function sessionStore<V>(
  kv: KeyValue<string, V, Supporting<'ttl'>>,
  options: SessionOptions = {},
): SessionStore {
  checkKeyValue('sessionStore', kv)
  checkFactoryOptions('sessionStore', options, { ttlMs: true })
  const ttlMs = checkedMs('ttlMs', options.ttlMs ?? 86_400_000, { most: mostMs })
  const records = kv as unknown as Records
  if (!supports(kv as KeyValue<string, V>, 'ttl'))
    throw new StoreError(
      'UNSUPPORTED',
      `${kv.name} does not expire records, which a store of sessions needs.`,
    )
  const expiry = (session: SessionData) => ({ expiresAt: endOf(session.cookie, ttlMs) })
  const touch = touching(records)
  return {
    get: (id, callback) => tell(async () => current(await records.getEntry(id)), callback),
    set: (id, session, callback) =>
      tell(async () => void (await records.set(id, plain(session), expiry(session))), callback),
    destroy: (id, callback) => tell(async () => void (await records.delete(id)), callback),
    ...(touch && {
      touch: (id, session, callback) =>
        tell(async () => void (await touch(id, session, expiry(session))), callback),
    }),
    all: (callback) => tell(async () => all(records), callback),
    length: (callback) => tell(async () => records.count(), callback),
    clear: (callback) => tell(async () => void (await records.clear({ all: true })), callback),
  }
}

/** A hundred years. */
const mostMs = 100 * 365 * 86_400_000

const noSession = 'The record is not a session. Give the sessions a namespace of their own.'

/** Where the store cannot list its keys, the call itself says so. */
type Records = KeyValue<string, SessionData, Supporting<'ttl' | 'scan'>>
type Touch = (id: string, session: SessionData, expiry: { readonly expiresAt: number }) => Promise<unknown>

/** The fastest way that cannot undo a change of the data made at the same time. */
function touching(records: Records): Touch | undefined {
  if (supports(records, 'touch')) return (id, _, expiry) => records.touch(id, expiry)
  if (!supports(records, 'conditionalWrite')) return undefined
  return async (id, session, expiry) => {
    const cookie = plain(session.cookie)
    return records.update(id, (old) => old && { ...old, cookie }, expiry)
  }
}

/**
 * Wall-clock time in milliseconds since the epoch. A cookie may end in 1970, which deletes its session, or in the year
 * 9999, which is more than a store takes.
 */
function endOf(cookie: SessionCookie, ttlMs: number): number {
  const now = wallClock()
  const end =
    told(cookie) ?? now + Math.ceil([cookie.maxAge, cookie.originalMaxAge].find(Number.isFinite) ?? ttlMs)
  return end <= now ? 0 : Math.min(end, now + mostMs)
}

function told({ expires }: SessionCookie): number | undefined {
  const time = typeof expires === 'boolean' ? Number.NaN : new Date(expires ?? Number.NaN).getTime()
  return Number.isNaN(time) ? undefined : time
}

/** With the expiry of the record, as `touch` leaves the cookie inside as it was. */
function current(entry: Entry<SessionData> | undefined): SessionData | null {
  if (entry === undefined) return null
  const { cookie } = Object(entry.value) as Partial<SessionData>
  if (typeof cookie !== 'object' || cookie === null) throw new StoreError('CORRUPT', noSession)
  if (!cookie.expires || entry.expiresAt === undefined) return entry.value
  return { ...entry.value, cookie: { ...cookie, expires: new Date(entry.expiresAt).toISOString() } }
}

async function all(records: Records): Promise<Record<string, SessionData>> {
  const found: Record<string, SessionData> = Object.create(null)
  for await (const [id, entry] of records.entries()) found[id] = current(entry) ?? entry.value
  return found
}

/** Sessions and cookies are objects of classes, whose `toJSON` selects the members to keep. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** Calls back outside of the promise: what a callback throws is an uncaught exception, and no second call. */
function tell<T>(work: () => Promise<T>, callback: Callback<T> | null | undefined): Answer<T> {
  if (callback === undefined || callback === null) return work()
  if (typeof callback !== 'function')
    throw new StoreError('INVALID_ARGUMENT', 'The callback of a session store must be a function.')
  void work().then(
    (answer) => nextTick(() => callback(null, answer)),
    (error: unknown) => nextTick(() => callback(error)),
  )
  return undefined
}
