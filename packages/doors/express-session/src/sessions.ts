import { type Entry, isStoreError, type KeyValue, StoreError, type Supporting, supports } from '@unikv/core'
import { checkedMs, checkFactoryOptions, checkKeyValue } from '@unikv/core/adapter'
import { nextTick } from '@unikv/core/platform'
import {
  endOf,
  isObject,
  mostMs,
  plainCookie,
  plainSession,
  ReadCookies,
  type SessionData,
} from './cookies.ts'

/** Options of `sessionStore`. */
export interface SessionOptions {
  /** Life of a session whose cookie has no expiry. @default 86_400_000 (one day) */
  readonly ttlMs?: number | undefined
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
  /** A new expiry and cookie; the other data stays. Missing where a store can do neither this nor an update. */
  touch?: (id: string, session: SessionData, callback?: Callback) => Answer
  /**
   * The sessions by their ids. This needs a store that lists its keys, as do the next two.
   *
   * @throws {StoreError} `PARTIAL` if some could not be read; `error.results` holds the pairs `[id, session]` of the others
   */
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
  const expiry = (session: SessionData) => ({ expiresAt: endOf(session, ttlMs) })
  const cookies = new ReadCookies()
  const touch = touching(records, cookies)
  const read = async (id: string): Promise<SessionData | null> => {
    const session = current(await records.getEntry(id))
    if (session !== null) cookies.note(id, session.cookie)
    return session
  }
  return {
    get: (id, callback) => tell(async () => read(id), callback),
    set: (id, session, callback) =>
      tell(async () => void (await records.set(id, plainSession(session), expiry(session))), callback),
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

const noSession = 'The record is not a session. Give the sessions a namespace of their own.'

/** Where the store cannot list its keys, the call itself says so. */
type Records = KeyValue<string, SessionData, Supporting<'ttl' | 'scan'>>
type Touch = (id: string, session: SessionData, expiry: { readonly expiresAt: number }) => Promise<unknown>

/**
 * The fastest way that keeps the cookie, and cannot undo a change of the data made at the same time: most requests leave the
 * cookie as it was read, but for the time of its end, which is that of the record.
 */
function touching(records: Records, cookies: ReadCookies): Touch | undefined {
  const update: Touch | undefined = updating(records)
  if (!supports(records, 'touch')) return update
  return async (id, session, expiry) => {
    const cookie = plainCookie(session)
    if (cookies.isSame(id, cookie)) return records.touch(id, expiry)
    await (update ?? replacing(records))(id, session, expiry)
    return cookies.note(id, cookie)
  }
}

function updating(records: Records): Touch | undefined {
  if (!supports(records, 'conditionalWrite')) return undefined
  return async (id, session, expiry) => {
    const cookie = plainCookie(session)
    return records.update(id, (old) => old && { ...old, cookie }, expiry)
  }
}

/** Without conditions: a cookie that was changed is stored with the data as they are now. */
function replacing(records: Records): Touch {
  return async (id, session, expiry) => {
    const old = await records.get(id)
    if (old !== undefined) await records.set(id, { ...old, cookie: plainCookie(session) }, expiry)
  }
}

/** With the expiry of the record, as `touch` may leave the cookie inside as it was. */
function current(entry: Entry<SessionData> | undefined): SessionData | null {
  if (entry === undefined) return null
  const { cookie } = Object(entry.value) as Partial<SessionData>
  if (!isObject(cookie)) throw new StoreError('CORRUPT', noSession)
  if (!cookie.expires || entry.expiresAt === undefined) return entry.value
  return { ...entry.value, cookie: { ...cookie, expires: new Date(entry.expiresAt).toISOString() } }
}

async function all(records: Records): Promise<Record<string, SessionData>> {
  const found: Record<string, SessionData> = Object.create(null)
  const failed: StoreError[] = []
  const onUnreadable = (error: StoreError): void => void failed.push(error)
  for await (const [id, entry] of records.entries({ onUnreadable })) {
    try {
      found[id] = current(entry) ?? entry.value
    } catch (error) {
      if (!isStoreError(error)) throw error
      failed.push(new StoreError(error.code, error.message, { key: id, store: records.name }))
    }
  }
  if (failed.length === 0) return found
  const message = `${failed.length} sessions could not be read; error.results has them and the others.`
  const results = [...Object.entries(found), ...failed]
  throw new StoreError('PARTIAL', message, { results, cause: failed[0], key: failed[0]?.key })
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
