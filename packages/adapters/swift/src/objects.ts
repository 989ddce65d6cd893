import { createHash } from 'node:crypto'
import { type CallOptions, StoreError, type Version } from '@unikv/core'
import { decodeRecord, recordHeaderBytes } from '@unikv/core/adapter'
import { type HttpAnswer, type HttpAsk, partLength } from '@unikv/core/http-client'
import { wallClock } from '@unikv/core/platform'
import type { SwiftAccount } from './client/account.ts'
import { checkOwn, notSwift, statusError } from './errors.ts'
import { encodeName } from './object-name.ts'

/** One object of a listing. */
export interface Listed {
  readonly name: string
  readonly content_type: string
}

/** An object that was found. */
export interface Found {
  readonly value: Buffer
  readonly version: Version
  /** Milliseconds since the epoch; a whole second. */
  readonly expiresAt: number | undefined
}

/** A part of a listing. */
export interface ListedPage {
  readonly names: readonly Listed[]
  /** Time of the server in seconds since the epoch. */
  readonly now: number
}

/** Which objects to list. Names are below the container; markers are exclusive, and lie in the direction of the listing. */
export interface Listing {
  readonly prefix: string
  readonly marker: string | undefined
  readonly endMarker: string | undefined
  readonly limit: number
  /** From the last name to the first. */
  readonly reverse: boolean
}

/** The requests that the store makes, each one round trip. */
export class SwiftObjects {
  readonly #account: SwiftAccount
  readonly #container: string
  readonly #prefix: string

  constructor(account: SwiftAccount, container: string, prefix: string) {
    this.#account = account
    this.#container = container
    this.#prefix = prefix
  }

  /** A record; `undefined` if there is none. @throws {StoreError} `CORRUPT` */
  async get(key: string, call: CallOptions): Promise<Found | undefined> {
    return this.#found(key, newest(call), call)
  }

  /** The header of a record, without the body. */
  async head(key: string, call: CallOptions): Promise<Found | undefined> {
    const range = { range: `bytes=0-${recordHeaderBytes - 1}`, ...newest(call) }
    return this.#found(key, range, call)
  }

  /** Write a record. `false`: its expiry has passed by the clock of the server, and nothing was done. */
  async put(key: string, record: Buffer, endsAt: number | undefined, call: CallOptions): Promise<boolean> {
    const answer = await this.#ask('PUT', key, expiryHeaders(endsAt), call, record)
    if (isTooLate(answer, endsAt)) return false
    if (answer.status === 404) throw (await this.#missing(call)) ?? lookedInVain()
    if (answer.status >= 300) throw statusError(answer.status, answer.body, true)
    return true
  }

  /** Change the expiry alone. `'absent'`, `'late'` (as for `put`) or `'done'`. */
  async touch(
    key: string,
    endsAt: number | undefined,
    call: CallOptions,
  ): Promise<'absent' | 'late' | 'done'> {
    const answer = await this.#ask('POST', key, expiryHeaders(endsAt), call)
    if (answer.status === 404) {
      if (await this.#isThere(key, call)) throw lookedInVain()
      return 'absent'
    }
    if (isTooLate(answer, endsAt)) return 'late'
    if (answer.status >= 300) throw statusError(answer.status, answer.body, true)
    return 'done'
  }

  /** Remove a record; whether there was one. */
  async delete(key: string, call: CallOptions): Promise<boolean> {
    const answer = await this.#ask('DELETE', key, {}, call)
    if (answer.status < 300) return true
    if (answer.status !== 404) throw statusError(answer.status, answer.body, true)
    const isThere = await this.#isThere(key, call).catch((cause: unknown) => {
      throw deletedPerhaps('and did not say whether it is there', cause)
    })
    if (isThere) throw deletedPerhaps('and then the object')
    return false
  }

  /** Names in the order of their bytes, or in reverse, and the time of the server in seconds. */
  async list({ prefix, marker, endMarker, limit, reverse }: Listing, call: CallOptions): Promise<ListedPage> {
    const query = new URLSearchParams({ format: 'json', limit: String(limit), prefix: this.#prefix + prefix })
    if (reverse) query.set('reverse', 'on')
    if (marker !== undefined) query.set('marker', this.#prefix + marker)
    if (endMarker !== undefined) query.set('end_marker', this.#prefix + endMarker)
    const request = { method: 'GET', path: `/${this.#container}?${query.toString()}`, headers: newest(call) }
    const answer = await this.#send(request, call, false)
    if (answer.status === 404) throw (await this.#missing(call)) ?? lookedInVain()
    if (answer.status >= 300) throw statusError(answer.status, answer.body, false)
    const listed = answer.status === 204 ? [] : listedIn(answer.body, this.#prefix)
    const names = listed.map((one) => ({ ...one, name: one.name.slice(this.#prefix.length) }))
    return { names, now: Math.floor((Date.parse(answer.headers['date'] ?? '') || wallClock()) / 1_000) }
  }

  /** Whether the container is there. */
  async isPrepared(call: CallOptions): Promise<boolean> {
    return (await this.container(call)) !== undefined
  }

  /** Headers that tell of the container, perhaps none; `undefined` if there is no container. */
  async container(call: CallOptions): Promise<HttpAnswer['headers'] | undefined> {
    const { status, body, headers } = await this.#look(`/${this.#container}`, call)
    if (status === 404) {
      const reason = await this.#missing(call)
      if (reason === undefined) return {}
      if (reason.code !== 'NOT_PREPARED') throw reason
      return undefined
    }
    if (status >= 300) throw statusError(status, body, false)
    return headers
  }

  /** Make the container; one that is there stays as it is. */
  async prepare(call: CallOptions): Promise<void> {
    const answer = await this.#account.ask({ method: 'PUT', path: `/${this.#container}` }, call, true)
    checkOwn('PUT', answer, false) // who prepares has written nothing yet
    if (answer.status >= 300) throw statusError(answer.status, answer.body, true)
  }

  /**
   * Meaning of a 404 for the container or a new object; `undefined`: the container is there. The proxy of Swift answers so
   * too when it cannot reach the server that knows the container, or that of the account; nothing was changed then. The
   * container is looked for again when the account is found, as its server may have come back in between.
   */
  async #missing(call: CallOptions): Promise<StoreError | undefined> {
    for (const path of [`/${this.#container}`, '', `/${this.#container}`]) {
      const { status, body } = await this.#look(path, call)
      if (status >= 500) return statusError(status, body, false)
      if (status < 300 && path !== '') return undefined
    }
    return statusError(404, Buffer.alloc(0), false)
  }

  /** A 404 for a change of an object may mean the same, unless there is no such object. */
  async #isThere(key: string, call: CallOptions): Promise<boolean> {
    const { status, body } = await this.#look(this.#pathOf(key), call)
    if (status >= 300 && status !== 404) throw statusError(status, body, false)
    return status !== 404
  }

  /**
   * A server that holds an object lists its files and then opens the newest: when a write replaces it in between, it says
   * 404, of an object that was there all the time (`diskfile.py` of Swift 2.30). So it is asked twice.
   */
  async #found(
    key: string,
    headers: Readonly<Record<string, string>>,
    call: CallOptions,
  ): Promise<Found | undefined> {
    const answer = await this.#ask('GET', key, headers, call)
    return found(answer.status === 404 ? await this.#ask('GET', key, headers, call) : answer)
  }

  /** On a connection of its own: Swift sends an empty chunk after the head of a container, for the next to stumble over. */
  #look(path: string, call: CallOptions): Promise<HttpAnswer> {
    return this.#send({ method: 'HEAD', path, headers: { connection: 'close' } }, call, false)
  }

  #pathOf(key: string): string {
    return `/${this.#container}/${this.#prefix}${encodeURIComponent(encodeName(key))}`
  }

  #ask(
    method: string,
    key: string,
    headers: Readonly<Record<string, string>>,
    call: CallOptions,
    body?: Buffer,
  ): Promise<HttpAnswer> {
    return this.#send({ method, path: this.#pathOf(key), headers, body }, call, method !== 'GET')
  }

  /** One request; a success and a 404 are those of Swift itself. */
  async #send(request: HttpAsk, call: CallOptions, isWrite: boolean): Promise<HttpAnswer> {
    const answer = await this.#account.ask(request, call, isWrite)
    checkOwn(request.method, answer, isWrite)
    return answer
  }
}

/** The names in a listing: objects of ours alone. */
function listedIn(body: Buffer, prefix: string): readonly Listed[] {
  try {
    const listed = JSON.parse(body.toString()) as readonly Listed[]
    if (Array.isArray(listed) && listed.every((one) => isListed(one, prefix))) return listed
  } catch {
    // It is said below what it is not.
  }
  throw notSwift(false)
}

function isListed({ name, content_type: type }: Listed, prefix: string): boolean {
  return typeof name === 'string' && name.startsWith(prefix) && typeof type === 'string'
}

/** How a listing tells the expiry of an object, and that it is ours. */
const contentType = 'application/vnd.unikv'

/** The expiry of a listed object in seconds, 0 for never; `undefined` if the object is none of ours. */
export function listedExpiry({ content_type: type }: Listed): number | undefined {
  const match = /^application\/vnd\.unikv(?:; ?e=(\d{1,15}))?$/.exec(type)
  return match === null ? undefined : Number(match[1] ?? 0)
}

function lookedInVain(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'Swift gave contradictory answers about the object; nothing was changed.',
  )
}

/** It was not reached, or is a newer one: Swift deletes what a write is replacing, and says 404. */
function deletedPerhaps(then: string, cause?: unknown): StoreError {
  const message = `Swift found nothing to delete, ${then}: it may have been deleted and written again. Read the key to find out.`
  return new StoreError('OUTCOME_UNKNOWN', message, cause === undefined ? {} : { cause })
}

function expiryHeaders(endsAt: number | undefined): Readonly<Record<string, string>> {
  if (endsAt === undefined) return { 'content-type': contentType }
  return { 'content-type': `${contentType}; e=${endsAt}`, 'x-delete-at': String(endsAt) }
}

/** Swift asks all copies for the newest. */
function newest({ consistency }: CallOptions): Readonly<Record<string, string>> {
  return consistency === 'newest' ? { 'x-newest': 'true' } : {}
}

function isTooLate({ status, body }: HttpAnswer, endsAt: number | undefined): boolean {
  return status === 400 && endsAt !== undefined && /X-Delete-At/i.test(body.toString())
}

function found({ status, headers, body }: HttpAnswer): Found | undefined {
  if (status === 404) return undefined
  // An object shorter than a header is none of ours.
  if (status >= 300 && status !== 416) throw statusError(status, body, false)
  if (status < 300 && !isWhole(headers, body)) throw notSwift(false)
  const { value, version } = decodeRecord(status === 416 ? Buffer.alloc(0) : body)
  const { 'x-delete-at': endsAt } = headers
  const expiresAt = endsAt === undefined ? undefined : Number(endsAt) * 1_000
  return { value: value as Buffer, version: version as Version, expiresAt }
}

/** Whether a body is what the headers of Swift tell of it: a proxy may cut it and have it end properly. */
function isWhole(headers: HttpAnswer['headers'], body: Buffer): boolean {
  const { 'content-range': range, etag } = headers
  const length = partLength(range)
  if (length !== undefined) return body.length === length
  // An object in parts has another sum elsewhere; records never are in parts.
  const sum = md5Of(body)
  return sum === undefined || etag === undefined || etag.replaceAll('"', '') === sum
}

/** `undefined` in processes that may not use MD5 (FIPS). */
function md5Of(body: Buffer): string | undefined {
  try {
    return createHash('md5').update(body).digest('hex')
  } catch {
    return undefined
  }
}
