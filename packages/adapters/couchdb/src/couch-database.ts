import { type CallOptions, StoreError } from '@unikv/core'
import type { HttpAnswer, HttpAsk, HttpClient } from '@unikv/core/http'
import type { CouchDocument } from './couch-document.ts'
import { noJson, statusError } from './couchdb-errors.ts'

/** One row of `_all_docs`. */
export interface Row {
  readonly id?: string
  readonly value?: { readonly rev: string; readonly deleted?: boolean }
  readonly doc?: CouchDocument | null
  readonly error?: string
}

/** What became of one document of `_bulk_docs`. */
export interface Outcome {
  readonly id?: string
  readonly rev?: string
  readonly error?: string
  /** Fewer copies than asked for took it: it may yet lose against another revision. */
  readonly accepted?: boolean
}

/** Which documents of a range to list. */
export interface IdRange {
  readonly after?: string | undefined
  readonly from: string
  readonly before: string | undefined
  readonly limit: number
}

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
    const said = this.#json(answer, false) as CouchDocument & { readonly reason?: unknown }
    if (answer.status === 404 && /^(missing|deleted)$/.test(String(said.reason))) return undefined
    return this.#expect<CouchDocument>(answer, said, false)
  }

  /** The document without its value. */
  async head(id: string, call: CallOptions): Promise<CouchDocument | undefined> {
    const fields = ['_id', '_rev', 'version', 'expires_at']
    const { docs } = await this.#post<Found>('/_find', { selector: { _id: id }, fields, limit: 1 }, call)
    return docs[0]
  }

  /** A row for each id, in their order. */
  async rows(ids: readonly string[], documents: boolean, call: CallOptions): Promise<readonly Row[]> {
    const path = `/_all_docs${documents ? '?include_docs=true' : ''}`
    const { rows } = await this.#post<{ readonly rows: readonly Row[] }>(path, { keys: ids }, call)
    if (rows.length === ids.length) return rows
    throw noJson(this.#http.where, false)
  }

  /** Documents of ours in the order of their ids; without values if they are not asked for. */
  async page(range: IdRange, values: boolean, call: CallOptions): Promise<readonly CouchDocument[]> {
    const { after, from, before, limit } = range
    const lower = after === undefined ? { $gte: from } : { $gt: after }
    const _id = before === undefined ? lower : { ...lower, $lt: before }
    const query = { selector: { _id, version: { $exists: true } }, sort: [{ _id: 'asc' }], limit }
    const projected = values ? query : { ...query, fields: ['_id', '_rev', 'version', 'expires_at'] }
    const { docs } = await this.#post<Found>('/_find', projected, call)
    if (!Array.isArray(docs)) throw noJson(this.#http.where, false)
    return docs
  }

  /** Write documents (JSON texts); an outcome for each. */
  async write(documents: readonly string[], call: CallOptions): Promise<readonly Outcome[]> {
    const body = `{"docs":[${documents.join(',')}]}`
    const answer = await this.#ask({ method: 'POST', path: '/_bulk_docs', body }, call, true)
    const outcomes = this.#expect<readonly Outcome[]>(answer, this.#json(answer, true), true)
    if (Array.isArray(outcomes) && outcomes.length === documents.length) return outcomes
    throw noJson(this.#http.where, true)
  }

  /** What the server tells of the database; `undefined` if there is none. */
  info(call: CallOptions): Promise<DatabaseInfo | undefined> {
    return this.#ifThere<DatabaseInfo>('', call)
  }

  /** The document by which a database is known as ours; `undefined` if there is none. */
  marker(call: CallOptions): Promise<{ readonly unikv?: unknown } | undefined> {
    return this.#ifThere('/_design/unikv', call)
  }

  /** Make the database, or its marker; someone else may have been faster. */
  async make(what: '' | '/_design/unikv', content: object | undefined, call: CallOptions): Promise<void> {
    const body = content === undefined ? undefined : JSON.stringify(content)
    const answer = await this.#ask({ method: 'PUT', path: what, body }, call, true)
    if (answer.status === 412 || answer.status === 409) return
    this.#expect(answer, this.#json(answer, true), true)
  }

  async #ifThere<T>(path: string, call: CallOptions): Promise<T | undefined> {
    const answer = await this.#ask({ method: 'GET', path }, call, false)
    return answer.status === 404 ? undefined : this.#expect<T>(answer, this.#json(answer, false), false)
  }

  async #post<T>(path: string, content: object, call: CallOptions): Promise<T> {
    const body = JSON.stringify(content)
    const answer = await this.#ask({ method: 'POST', path, body }, call, false)
    return this.#expect<T>(answer, this.#json(answer, false), false)
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

  #expect<T>({ status }: HttpAnswer, said: unknown, isWrite: boolean): T {
    if (status < 300) return said as T
    throw statusError(status, (said as { readonly error?: unknown } | null)?.error, isWrite)
  }

  #json({ status, body }: HttpAnswer, isWrite: boolean): unknown {
    try {
      return JSON.parse(body.toString())
    } catch {
      // A gateway has pages of its own for its errors.
      if (status >= 300) return undefined
      throw noJson(this.#http.where, isWrite)
    }
  }
}

interface Found {
  readonly docs: readonly CouchDocument[]
}

/** What `GET /database` tells. */
export interface DatabaseInfo {
  readonly doc_count: number
  /** Copies of each document; absent on servers without clusters. */
  readonly cluster?: { readonly n: number }
}

function noAuthorization(cause: unknown): StoreError {
  return new StoreError('ACCESS_DENIED', 'The function authorization failed; the cause says why.', { cause })
}
