import {
  checkFactoryOptions,
  checkPositive,
  checkTls,
  type DeclaredIndex,
  declaredIndexes,
  decoded,
  invalidConfig,
  type OptionNames,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'
import { canIndex } from './find/selector.ts'

/** The failures that an acknowledged write survives. */
export type CouchdbDurability = 'memory' | 'buffered' | 'flushed' | 'replicated'

/** Settings of the CouchDB store. */
export interface CouchdbOptions {
  /**
   * `http://user:password@host:5984/database`, also `https://`, `couchdb://` (which is `http:`, or `https:` with
   * `?tls=true`) and `couchdbs://` (`https:`). Parts of the path before the database are those of a proxy.
   */
  readonly url: string | URL
  /** The database: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default that of the URL, or 'unikv' */
  readonly database?: string | undefined
  /** `bytes`: base64 in the document; `document`: JSON in the field `value`, for queries of your own. @default 'bytes' */
  readonly values?: 'bytes' | 'document' | undefined
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range. Missing ones are made with `prepare`,
   * and otherwise refused. @default none
   */
  readonly indexes?: readonly (readonly string[])[] | undefined
  /** Make the database where it is missing. @default false */
  readonly prepare?: boolean | undefined
  /**
   * The header `Authorization`, in place of user and password: a bearer token of IAM or a JWT. Asked for before each
   * request, so it should keep what it has.
   */
  readonly authorization?: (() => string | Promise<string>) | undefined
  /** The failures that acknowledged writes survive, as the server is configured: CouchDB 3 flushes each one. @default 'flushed' */
  readonly durability?: CouchdbDurability | undefined
  /**
   * `linearizable`: the database has one copy of each document (a single node), which is checked on first use;
   * `eventual`: there may be several. @default 'eventual'
   */
  readonly isolation?: 'linearizable' | 'eventual' | undefined
  /** Longest value in bytes. @default what fits into a document of 8,000,000 bytes: 5,993,856; documents 7,991,808 */
  readonly maxValueBytes?: number | undefined
  /** Most connections. @default 32 */
  readonly maxConnections?: number | undefined
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** Settings of TLS. @default those of Node.js */
  readonly tls?: HttpTls | undefined
  /** For errors and reports. @default 'couchdb' */
  readonly name?: string | undefined
}

/** `max_document_size` of CouchDB 3, less id, version and some air. */
const maxDocumentBytes: number = 8_000_000 - 8_192

/** Options with their defaults, checked. */
export interface CouchdbSettings {
  /** Of the server, without user info, path and parameters. */
  readonly origin: URL
  /** Path of the database, escaped. */
  readonly path: string
  /** The database as nano takes it, with the address of its server and no user info. */
  readonly address: string
  readonly database: string
  readonly authorization: () => string | undefined | Promise<string>
  readonly documents: boolean
  readonly indexes: readonly DeclaredIndex[]
  readonly prepare: boolean
  readonly durability: CouchdbDurability
  readonly isolation: 'linearizable' | 'eventual'
  readonly maxValueBytes: number
  readonly maxConnections: number
  readonly queueLimit: number
  readonly tls: HttpTls | undefined
  readonly name: string
}

const optionNames: OptionNames<CouchdbOptions> = {
  url: true,
  database: true,
  values: true,
  indexes: true,
  prepare: true,
  authorization: true,
  durability: true,
  isolation: true,
  maxValueBytes: true,
  maxConnections: true,
  queueLimit: true,
  tls: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: CouchdbOptions): CouchdbSettings {
  checkFactoryOptions('couchdb', options, optionNames)
  const { values = 'bytes', durability = 'flushed', isolation = 'eventual', prepare = false } = options
  const { maxConnections = 32, queueLimit = 10_000, tls, name = 'couchdb' } = options
  const documents = values === 'document'
  const { maxValueBytes = documents ? maxDocumentBytes : Math.floor(maxDocumentBytes / 4) * 3 } = options
  check(values === 'bytes' || documents, "values must be 'bytes' or 'document'.")
  check(durabilities.includes(durability), `durability must be one of: ${durabilities.join(', ')}.`)
  check(isolations.includes(isolation), "isolation must be 'linearizable' or 'eventual'.")
  checkPositive({ maxValueBytes, maxConnections, queueLimit })
  checkTls('couchdb', tls)
  const place = placeOf(options)
  return {
    ...place,
    authorization: options.authorization ?? basic(urlOf(options.url)),
    documents,
    indexes: declaredIndexes(options.indexes, { dataset: 'unikv', documents, canHave: canIndex }),
    prepare,
    durability,
    isolation,
    maxValueBytes,
    maxConnections,
    queueLimit,
    tls,
    name,
  }
}

const durabilities: readonly string[] = ['memory', 'buffered', 'flushed', 'replicated']
const isolations: readonly string[] = ['linearizable', 'eventual']

function placeOf(options: CouchdbOptions): Pick<CouchdbSettings, 'origin' | 'path' | 'address' | 'database'> {
  const url = urlOf(options.url)
  const parts = url.pathname.split('/').filter((part) => part !== '')
  const named = parts.pop()
  const { database = named ?? 'unikv' } = options
  check(/^[a-z][a-z0-9_]{0,47}$/.test(database), 'database must match [a-z][a-z0-9_]{0,47}.')
  check(named === undefined || named === database, 'url and database name different databases.')
  const origin = new URL(url.origin)
  const base = parts.map((part) => `/${part}`).join('')
  return { origin, path: `${base}/${database}`, address: `${url.origin}${base}`, database }
}

/** The URL, with a scheme that HTTP clients know. */
function urlOf(given: string | URL): URL {
  const text = String(given)
  const secure = /^couchdbs:/i.test(text) || (/^couchdb:/i.test(text) && /[?&]tls=true(&|$)/.test(text))
  const spoken = text.replace(/^couchdbs?:/i, secure ? 'https:' : 'http:')
  check(URL.canParse(spoken), 'url is not a valid URL. Write http://user:password@host:5984/database')
  const url = new URL(spoken)
  check(/^https?:$/.test(url.protocol), 'url must start with http://, https://, couchdb:// or couchdbs://.')
  const parameters = [...url.searchParams]
  const known =
    /^couchdb:/i.test(text) &&
    parameters.every(([name, value]) => name === 'tls' && /^(true|false)$/.test(value))
  check(parameters.length === 0 || known, 'url takes the parameter tls=true alone, with couchdb://.')
  return url
}

function basic({ username, password }: URL): () => string | undefined {
  if (username === '' && password === '') return () => undefined
  const header = `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
  return () => header
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
