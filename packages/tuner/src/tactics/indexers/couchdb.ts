import { StoreError } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import type { Indexer, IndexFacts, IndexPlan, TableFacts } from '../indexer.ts'

/** The members of `native`, which is nano, that are used here. */
interface Native {
  server(): Promise<{ request<Answer>(request: Request): Promise<Answer> }>
}

interface Request {
  readonly db?: string
  readonly path?: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: object
  readonly qs?: object
}

/** An index of `_index`. */
interface Index {
  readonly name: string
  readonly type: string
  readonly def: {
    readonly fields: readonly (string | { readonly [field: string]: string })[]
    readonly partial_filter_selector?: object
  }
}

interface Members {
  readonly names?: readonly string[]
  readonly roles?: readonly string[]
}

/** How often a server that has not answered a query in its time is asked again. */
const everyMs = 1000

/**
 * Indexes of CouchDB: Mango indexes, each in a design document of its name. In a database of unikv they are on fields of the documents,
 * and serve `_find` with the selector `{ "value.ip": … }`; in your own database on its fields, `{ "ip": … }`. A
 * `_find` that needs an index which is not built yet waits for it, so those that run meanwhile are slow once. The server
 * goes on with a build whose client is gone.
 */
export const couchdbIndexer: Indexer = {
  how: 'a Mango index, built beside writes; the queries that it serves wait until it is built',
  writeFactor: 1.02,
  look: async (native, table) => look(askerOf(native as Native, table), table),
  create: async (native, plan, signal) => create(askerOf(native as Native, plan.table), plan, signal),
  drop: async (native, { name, table }, _signal) => drop(askerOf(native as Native, table), name),
}

/** Sends a request about a database. */
type Ask = <Answer>(request: Request) => Promise<Answer>

function askerOf(native: Native, db: string): Ask {
  return async (request) => (await native.server()).request({ db, ...request })
}

async function look(ask: Ask, table: string): Promise<TableFacts> {
  const info = await unlessMissing(
    ask<{ readonly doc_count: number; readonly sizes?: { readonly file: number } }>({}),
  )
  if (info === undefined) throw new StoreError('NOT_PREPARED', `CouchDB has no database ${table}.`)
  const isOurs = await isOfUnikv(ask)
  const { indexes } = await ask<{ readonly indexes: readonly Index[] }>({ path: '_index' })
  return {
    records: info.doc_count,
    bytes: info.sizes?.file,
    denied: await deniedOf(ask, table),
    indexes: indexes.map((index) => factsOf(index, isOurs)),
  }
}

function factsOf({ name, type, def }: Index, isOurs: boolean): IndexFacts {
  const isPlain = type === 'json' && Object.keys(def.partial_filter_selector ?? {}).length === 0
  const fields = def.fields.flatMap((field) => (typeof field === 'string' ? [field] : Object.keys(field)))
  return {
    name,
    by: fields.map((field) => (isPlain ? attributeOf(field, isOurs) : '?')),
    isValid: true,
    isOfKey: type === 'special',
  }
}

function attributeOf(field: string, isOurs: boolean): string {
  if (!isOurs) return field
  return field.startsWith('value.') ? field.slice('value.'.length) : '?'
}

async function create(ask: Ask, { name, by }: IndexPlan, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const before = (await isOfUnikv(ask)) ? 'value.' : ''
  const fields = by.map((attribute) => `${before}${attribute}`)
  await ask({ path: '_index', method: 'POST', body: { index: { fields }, ddoc: name, name, type: 'json' } })
  // Its first query builds it.
  const selector = Object.fromEntries(fields.map((field) => [field, { $eq: '' }]))
  const body = { selector, limit: 1, use_index: [`_design/${name}`, name] }
  for (;;) {
    signal.throwIfAborted()
    try {
      return void (await ask({ path: '_find', method: 'POST', body }))
    } catch (error) {
      // The server gives up after a minute, and its build goes on.
      if (!isTimeout(error)) throw error
      await pause(everyMs, { signal })
    }
  }
}

function isTimeout(error: unknown): boolean {
  const { statusCode, code, message = '' } = error as { statusCode?: number; code?: string; message?: string }
  return (
    code === 'ETIMEDOUT' ||
    code === 'UND_ERR_HEADERS_TIMEOUT' ||
    (statusCode === 500 && /timeout/i.test(message))
  )
}

/** Its design document is its own, and nothing else is in it. */
async function drop(ask: Ask, name: string): Promise<void> {
  const path = `_design/${name}`
  const found = await unlessMissing(ask<{ readonly _rev: string }>({ path }))
  if (found === undefined) return
  await unlessMissing(ask({ path, method: 'DELETE', qs: { rev: found._rev } }))
}

/** Whether the adapter made it, and the documents are in the field `value`. */
async function isOfUnikv(ask: Ask): Promise<boolean> {
  const found = await unlessMissing(ask<{ readonly unikv?: string }>({ path: '_design/unikv' }))
  return found?.unikv !== undefined
}

/** Design documents are for administrators, of the server or of the database. */
async function deniedOf(ask: Ask, table: string): Promise<string | undefined> {
  const session = await unlessMissing(
    ask<{ readonly userCtx: { readonly name: string; readonly roles: readonly string[] } }>({
      db: '',
      path: '_session',
    }),
  )
  const security = await unlessMissing(ask<{ readonly admins?: Members }>({ path: '_security' }))
  const { names = [], roles = [] } = security?.admins ?? {}
  if (session === undefined || names.includes(session.userCtx.name)) return undefined
  if (session.userCtx.roles.some((role) => role === '_admin' || roles.includes(role))) return undefined
  return `Only administrators of the database ${table} may make indexes. Add this user to the admins in _security.`
}

/** The answer; `undefined` if the server says 404. */
async function unlessMissing<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  return asked.catch((error: { readonly statusCode?: number }) => {
    if (error.statusCode === 404) return undefined
    throw error
  })
}
