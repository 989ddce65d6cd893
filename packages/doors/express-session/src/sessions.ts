import { type Entry, type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { checkedMs, checkFactoryOptions } from '@unikv/core/adapter'
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
  checkFactoryOptions('sessionStore', options, { ttlMs: true })
  const ttlMs = checkedMs('ttlMs', options.ttlMs ?? 86_400_000, { most: 100 * 365 * 86_400_000 })
  const records = kv as unknown as Records
  if (!supports(kv as KeyValue<string, V>, 'ttl'))
    throw new StoreError(
      'UNSUPPORTED',
      `${kv.name} does not expire records, which a store of sessions needs.`,
    )
  const expiry = (session: SessionData) => ({ expiresAt: endOf(session.cookie, ttlMs) })
  const touch = touching(records)
  return {
    get: (id, callback) => tell(records.getEntry(id).then(current), callback),
    set: (id, session, callback) =>
      tell(records.set(id, plain(session), expiry(session)).then(none), callback),
    destroy: (id, callback) => tell(records.delete(id).then(none), callback),
    ...(touch && {
      touch: (id, session, callback) => tell(touch(id, plain(session), expiry(session)).then(none), callback),
    }),
    all: (callback) => tell(all(records), callback),
    length: (callback) => tell(counted(records), callback),
    clear: (callback) => tell(cleared(records), callback),
  }
}

/** Where the store cannot list its keys, the call itself says so. */
type Records = KeyValue<string, SessionData, Supporting<'ttl' | 'scan'>>
type Touch = (id: string, session: SessionData, expiry: { readonly expiresAt: number }) => Promise<unknown>

/** The fastest way that cannot undo a change of the data made at the same time. */
function touching(records: Records): Touch | undefined {
  if (supports(records, 'touch')) return (id, _, expiry) => records.touch(id, expiry)
  if (!supports(records, 'conditionalWrite')) return undefined
  return (id, { cookie }, expiry) => records.update(id, (old) => old && { ...old, cookie }, expiry)
}

/** Wall-clock time in milliseconds since the epoch. */
function endOf({ expires, maxAge, originalMaxAge }: SessionCookie, ttlMs: number): number {
  const end = typeof expires === 'boolean' ? Number.NaN : new Date(expires ?? Number.NaN).getTime()
  if (!Number.isNaN(end)) return end
  return wallClock() + Math.ceil([maxAge, originalMaxAge].find(Number.isFinite) ?? ttlMs)
}

/** With the expiry of the record, as `touch` leaves the cookie inside as it was. */
function current(entry: Entry<SessionData> | undefined): SessionData | null {
  if (entry === undefined) return null
  const { cookie } = entry.value
  if (!cookie.expires || entry.expiresAt === undefined) return entry.value
  return { ...entry.value, cookie: { ...cookie, expires: new Date(entry.expiresAt).toISOString() } }
}

async function all(records: Records): Promise<Record<string, SessionData>> {
  const found: Record<string, SessionData> = Object.create(null)
  for await (const [id, entry] of records.entries()) found[id] = current(entry) ?? entry.value
  return found
}

async function counted(records: Records): Promise<number> {
  return records.count()
}

async function cleared(records: Records): Promise<void> {
  await records.clear({ all: true })
}

/** Sessions are objects of classes, whose `toJSON` selects the members to keep. */
function plain(session: SessionData): SessionData {
  return JSON.parse(JSON.stringify(session))
}

function none(): void {}

/** Calls back outside of the promise: what a callback throws is an uncaught exception, and no second call. */
function tell<T>(work: Promise<T>, callback: Callback<T> | undefined): Answer<T> {
  if (callback === undefined) return work
  void work.then(
    (answer) => nextTick(() => callback(null, answer)),
    (error: unknown) => nextTick(() => callback(error)),
  )
  return undefined
}
