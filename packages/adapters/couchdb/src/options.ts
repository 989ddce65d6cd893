import {
  any,
  declaredIndexes,
  decoded,
  flag,
  func,
  invalidConfig,
  label,
  needed,
  type OptionsOf,
  oneOf,
  readOptions,
  text,
  tls,
  whole,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'
import { canIndex } from './find/selector.ts'

/** The failures that an acknowledged write survives. */
export type CouchdbDurability = 'memory' | 'buffered' | 'flushed' | 'replicated'

/** `max_document_size` of CouchDB 3, less id, version and some air. */
const maxDocumentBytes: number = 8_000_000 - 8_192

const table = {
  /**
   * `http://user:password@host:5984/database`, also `https://`, `couchdb://` (which is `http:`, or `https:` with
   * `?tls=true`) and `couchdbs://` (`https:`). Parts of the path before the database are those of a proxy.
   */
  url: needed<string | URL>(),
  /** The database: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default that of the URL, or 'unikv' */
  database: text(),
  /** `bytes`: base64 in the document; `document`: JSON in the field `value`, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range. Missing ones are made with `prepare`,
   * and otherwise refused. @default none
   */
  indexes: any<readonly (readonly string[])[]>(),
  /** Make the database where it is missing. @default false */
  prepare: flag(false),
  /**
   * The header `Authorization`, in place of user and password: a bearer token of IAM or a JWT. Asked for before each
   * request, so it should keep what it has.
   */
  authorization: func<() => string | Promise<string>>(),
  /** The failures that acknowledged writes survive, as the server is configured: CouchDB 3 flushes each one; `replicated` where there are several copies. @default 'flushed' */
  durability: oneOf<CouchdbDurability>('flushed', ['memory', 'buffered', 'flushed', 'replicated']),
  /**
   * `linearizable`: the database has one copy of each document (a single node), which is checked on first use;
   * `eventual`: there may be several. @default 'eventual'
   */
  isolation: oneOf('eventual', ['linearizable', 'eventual']),
  /**
   * Longest value in bytes. Cloudant takes documents of 1 MB: set 750,000 (documents 1,000,000).
   * @default 5,993,856 (documents 7,991,808), which fits into a document of 8,000,000 bytes, the `max_document_size` of CouchDB 3
   */
  maxValueBytes: whole(undefined),
  /** Most connections. @default 32 */
  maxConnections: whole(32),
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** Settings of TLS: `ca`, `cert`, `key`, `rejectUnauthorized` (true). @default those of Node.js */
  tls: tls<HttpTls>(),
  /** For errors and reports. @default 'couchdb' */
  name: label('couchdb'),
}

/** Settings of the CouchDB store. */
export interface CouchdbOptions extends OptionsOf<typeof table> {}

interface Place {
  /** Origin of the server, without user info, path and parameters. */
  readonly origin: URL
  /** Path of the database, escaped. */
  readonly path: string
  /** The database as nano takes it, with the address of its server and no user info. */
  readonly address: string
  readonly database: string
}

/** Options with their defaults, checked. */
export type CouchdbSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(options: CouchdbOptions) {
  const { url, values, ...settings } = readOptions('couchdb', table, options)
  const documents = values === 'document'
  const fitting = documents ? maxDocumentBytes : Math.floor(maxDocumentBytes / 4) * 3
  return {
    ...settings,
    ...placeOf(options),
    authorization: settings.authorization ?? basic(urlOf(url)),
    documents,
    indexes: declaredIndexes(settings.indexes, { dataset: 'unikv', documents, canHave: canIndex }),
    maxValueBytes: settings.maxValueBytes ?? fitting,
  }
}

function placeOf(options: CouchdbOptions): Place {
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
