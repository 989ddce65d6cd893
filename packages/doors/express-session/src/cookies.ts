import { StoreError } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'

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

/** A hundred years. */
export const mostMs: number = 100 * 365 * 86_400_000

/**
 * The session as JSON data: sessions and cookies are objects of classes, whose `toJSON` selects the members to keep.
 *
 * @throws {StoreError} `INVALID_VALUE`
 */
export function plainSession(session: SessionData): SessionData {
  checkSession(session)
  const kept = plain(session)
  checkSession(kept) // what its `toJSON` selects is what will be read
  return kept
}

/** The cookie of a session as JSON data. */
export function plainCookie(session: SessionData): SessionCookie {
  checkSession(session)
  return plainSession({ cookie: session.cookie }).cookie
}

function checkSession(session: unknown): asserts session is SessionData {
  if (isObject(session) && isObject((session as Partial<SessionData>).cookie)) return
  throw new StoreError('INVALID_VALUE', 'A session must be an object with a `cookie`.')
}

/** Whether it may have members. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function plain<T>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    throw new StoreError('INVALID_VALUE', 'JSON cannot hold this session; see the cause.', { cause })
  }
}

/**
 * Wall-clock time in milliseconds since the epoch. A cookie may end in 1970, which deletes its session, or in the year
 * 9999, which is more than a store takes.
 */
export function endOf(session: SessionData, ttlMs: number): number {
  checkSession(session)
  const { cookie } = session
  const now = wallClock()
  const end =
    told(cookie) ?? now + Math.ceil([cookie.maxAge, cookie.originalMaxAge].find(Number.isFinite) ?? ttlMs)
  return end <= now ? 0 : Math.min(end, now + mostMs)
}

function told({ expires }: SessionCookie): number | undefined {
  const time = typeof expires === 'boolean' ? Number.NaN : new Date(expires ?? Number.NaN).getTime()
  return Number.isNaN(time) ? undefined : time
}

/** The cookies that this process read last, by session: a `touch` that changes more than the time of the end is seen by them. */
export class ReadCookies {
  readonly #texts = new Map<string, string>()

  note(id: string, cookie: SessionCookie): void {
    this.#texts.delete(id)
    this.#texts.set(id, textOf(cookie))
    for (const [oldest] of this.#texts) {
      if (this.#texts.size <= mostCookies) return
      this.#texts.delete(oldest)
    }
  }

  /** Whether it is, but for the time of its end, the one that was read. */
  isSame(id: string, cookie: SessionCookie): boolean {
    return this.#texts.get(id) === textOf(cookie)
  }
}

const mostCookies = 10_000

/** Stores of documents do not keep the order of members. */
function textOf({ expires, ...others }: SessionCookie): string {
  const ends = expires !== undefined && expires !== null && expires !== false
  return JSON.stringify([ends, Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))])
}
