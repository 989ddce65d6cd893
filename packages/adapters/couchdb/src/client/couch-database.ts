import { type CallOptions, StoreError } from '@unikv/core'
import { type HttpAnswer, type HttpAsk, type HttpClient, oddAnswer } from '@unikv/core/http-client'
import { isPlainObject } from '@unikv/core/platform'
import type { CouchDocument } from '../document.ts'
import { statusError } from '../errors.ts'
import {
  areIndexes,
  areOutcomes,
  areRows,
  type DatabaseInfo,
  isDocument,
  isDone,
  isFound,
  isInfo,
  isMissing,
  type Outcome,
  type Row,
  type Understood,
} from './answers.ts'

/** A condition of `_find`. */
export type Selector = Readonly<Record<string, unknown>>

/** Which documents to list. */
export interface IdRange {
  /** A condition on ids, as `_find` takes it. */
  readonly ids: IdBounds
  readonly limit: number
  /** From the last id to the first. Absent: in any order, by whichever index serves. */
  readonly reverse?: boolean | undefined
  /** Another condition. */
  readonly also?: Selector | undefined
}

/** The first ids that are listed, and the id at which the listing ends. */
export type IdBounds = ({ readonly $gte: string } | { readonly $gt: string }) & { readonly $lt?: string }

/** The requests that the store makes, each one round trip. */
export class CouchDatabase {
  readonly #http: HttpClient
  readonly #path: string
  readonly #authorization: () => string | undefined | Promise<string>

  constructor(http: HttpClient, path: string, authorization: () => string | undefined | Promise<string>) {
    this.#http = http
    this.#path = path
    this.#authorization = authorization
  }

  /** A document; `'known'` if it still has the revision that is known; `undefined` if there is none. */
  async document(id: string, call: CallOptions, rev?: string): Promise<CouchDocument | 'known' | undefined> {
    const headers = rev === undefined ? undefined : { 'if-none-match': `"${rev}"` }
    const answer = await this.#ask({ method: 'GET', path: `/${id}`, headers }, call, false)
    if (answer.status === 304) return 'known'
    const said = this.#json(answer, false)
    if (answer.status === 404 && isMissing(said)) return undefined
    return this.#expect<CouchDocument>(answer, said, false, (one) => isDocument(one) && one._id === id)
  }

  /** The document without its value. */
  async head(id: string, call: CallOptions): Promise<CouchDocument | undefined> {
    const fields = ['_id', '_rev', 'version', 'expires_at']
    const query = { selector: { _id: id }, fields, limit: 1 }
    const { docs } = await this.#post('/_find', query, call, (said) => isFound(said, 1))
    const [found] = docs
    if (found !== undefined && found._id !== id) throw this.#odd(false)
    return found
  }

  /** A row for each id, in their order. */
  async rows(ids: readonly string[], documents: boolean, call: CallOptions): Promise<readonly Row[]> {
    const path = `/_all_docs${documents ? '?include_docs=true' : ''}`
    const { rows } = await this.#post(path, { keys: ids }, call, (said) => areRows(said, ids, documents))
    return rows
  }

  /** Documents of ours in the order of their ids, or in reverse; without values if they are not asked for. */
  async page(range: IdRange, values: boolean, call: CallOptions): Promise<readonly CouchDocument[]> {
    const { ids, limit, reverse, also } = range
    const ours = { _id: ids, version: { $exists: true } }
    const selector = also === undefined ? ours : { $and: [ours, also] }
    const sorted = reverse === undefined ? {} : { sort: [{ _id: reverse ? 'desc' : 'asc' }] }
    const query = { selector, ...sorted, limit }
    const projected = values ? query : { ...query, fields: ['_id', '_rev', 'version', 'expires_at'] }
    const { docs } = await this.#post('/_find', projected, call, (said) => isFound(said, limit))
    return docs
  }

  /** Write documents (JSON texts); an outcome for each. */
  async write(documents: readonly string[], call: CallOptions): Promise<readonly Outcome[]> {
    const body = `{"docs":[${documents.join(',')}]}`
    const answer = await this.#ask({ method: 'POST', path: '/_bulk_docs', body }, call, true)
    const said = this.#json(answer, true)
    return this.#expect(answer, said, true, (told) => areOutcomes(told, documents.length))
  }

  /** The server's description of the database; `undefined` if there is none. */
  info(call: CallOptions): Promise<DatabaseInfo | undefined> {
    return this.#ifThere('', call, isInfo)
  }

  /** The document by which a database is known as ours; `undefined` if there is none. */
  marker(call: CallOptions): Promise<{ readonly unikv?: unknown } | undefined> {
    return this.#ifThere('/_design/unikv', call, isPlainObject)
  }

  /** Make the database, or its marker; someone else may have been faster. */
  async make(what: '' | '/_design/unikv', content: object | undefined, call: CallOptions): Promise<void> {
    const body = content === undefined ? undefined : JSON.stringify(content)
    const answer = await this.#ask({ method: 'PUT', path: what, body }, call, true)
    if (answer.status === 412 || answer.status === 409) return
    this.#expect(answer, this.#json(answer, true), true, isDone)
  }

  /** Names of the indexes of the database. */
  async indexes(call: CallOptions): Promise<readonly string[]> {
    const said = await this.#ifThere('/_index', call, areIndexes)
    return (said?.indexes ?? []).map(({ name }) => name)
  }

  /** Make an index over fields, unless it is there. */
  async makeIndex(name: string, fields: readonly string[], call: CallOptions): Promise<void> {
    const body = JSON.stringify({ index: { fields }, ddoc: name, name, type: 'json' })
    const answer = await this.#ask({ method: 'POST', path: '/_index', body }, call, true)
    this.#expect(answer, this.#json(answer, true), true, isPlainObject)
  }

  async #ifThere<T>(path: string, call: CallOptions, isIt: Understood<T>): Promise<T | undefined> {
    const answer = await this.#ask({ method: 'GET', path }, call, false)
    const said = this.#json(answer, false)
    if (answer.status === 404 && isPlainObject(said)) return undefined
    return this.#expect(answer, said, false, isIt)
  }

  async #post<T>(path: string, content: object, call: CallOptions, isIt: Understood<T>): Promise<T> {
    const body = JSON.stringify(content)
    const answer = await this.#ask({ method: 'POST', path, body }, call, false)
    return this.#expect(answer, this.#json(answer, false), false, isIt)
  }

  async #ask(request: HttpAsk, call: CallOptions, isWrite: boolean): Promise<HttpAnswer> {
    const { method, body } = request
    const headers: Record<string, string> = { accept: 'application/json' }
    Object.assign(headers, request.headers)
    const credential = await this.#credential()
    if (credential !== undefined) headers['authorization'] = credential
    if (body !== undefined) headers['content-type'] = 'application/json'
    return this.#http.ask({ method, path: this.#path + request.path, headers, body }, call, isWrite)
  }

  #credential(): string | undefined | Promise<string> {
    const failed = (cause: unknown): never => {
      throw noAuthorization(cause)
    }
    try {
      const given = this.#authorization()
      return typeof given === 'object' ? given.catch(failed) : given
    } catch (cause) {
      return failed(cause)
    }
  }

  #expect<T>({ status }: HttpAnswer, said: unknown, isWrite: boolean, isIt: Understood<T>): T {
    // A 404 of someone in between tells nothing of what is there.
    if (status === 404 && !isPlainObject(said)) throw this.#odd(isWrite)
    if (status >= 300) throw statusError(status, isPlainObject(said) ? said['error'] : undefined, isWrite)
    if (isIt(said)) return said as T
    throw this.#odd(isWrite)
  }

  #odd(isWrite: boolean): StoreError {
    return oddAnswer(this.#http.where, 'CouchDB', isWrite)
  }

  #json({ status, body }: HttpAnswer, isWrite: boolean): unknown {
    try {
      return JSON.parse(body.toString())
    } catch {
      // A gateway has pages of its own for its errors.
      if (status >= 300) return undefined
      throw this.#odd(isWrite)
    }
  }
}

function noAuthorization(cause: unknown): StoreError {
  return new StoreError('ACCESS_DENIED', 'The function `authorization` failed; see the cause.', { cause })
}
