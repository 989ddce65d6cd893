import { type CallOptions, StoreError } from '@unikv/core'
import { invalidConfig, openIndexes } from '@unikv/core/adapter'
import type { DatabaseInfo } from './client/answers.ts'
import type { CouchDatabase } from './client/couch-database.ts'
import { indexPath } from './find/selector.ts'
import type { CouchdbSettings } from './options.ts'

type Wanted = Pick<CouchdbSettings, 'database' | 'documents' | 'isolation' | 'prepare'>

/**
 * Look at the database, and make it if that was asked for. It is known as ours by a design document, which is replicated
 * with it.
 *
 * @throws {StoreError} `NOT_PREPARED` if it is missing, `INVALID_CONFIG` if it is not ours or promises less than asked for
 */
export async function openDatabase(couch: CouchDatabase, wanted: Wanted, call: CallOptions): Promise<void> {
  const info = (await couch.info(call)) ?? (await made(couch, wanted, call))
  checkIsolation(info, wanted)
  let marker = await couch.marker(call)
  if (marker === undefined && info.doc_count === 0 && wanted.prepare) {
    await couch.make('/_design/unikv', { unikv: markerOf(wanted) }, call)
    marker = await couch.marker(call)
  }
  checkMarker(marker?.unikv, info, wanted)
}

/**
 * See that the declared indexes are there, and make them if that was asked for.
 *
 * @throws {StoreError} `NOT_PREPARED` if one is missing
 */
export function openFieldIndexes(
  couch: CouchDatabase,
  { indexes, prepare }: Pick<CouchdbSettings, 'indexes' | 'prepare'>,
  call: CallOptions,
): Promise<void> {
  return openIndexes(indexes, {
    prepare,
    remedy,
    look: () => couch.indexes(call),
    make: ({ name, paths }) => couch.makeIndex(name, paths.map(indexPath), call),
  })
}

async function made(couch: CouchDatabase, wanted: Wanted, call: CallOptions): Promise<DatabaseInfo> {
  if (wanted.prepare) await couch.make('', undefined, call)
  const info = wanted.prepare ? await couch.info(call) : undefined
  if (info !== undefined) return info
  throw notPrepared(`There is no database ${wanted.database}`)
}

function checkIsolation({ cluster }: DatabaseInfo, { database, isolation }: Wanted): void {
  if (isolation === 'eventual' || (cluster?.n ?? 1) === 1) return
  throw invalidConfig(
    `${database} has ${cluster?.n} copies of each document, so it is not linearizable. Leave out isolation.`,
  )
}

function checkMarker(found: unknown, { doc_count: documents }: DatabaseInfo, wanted: Wanted): void {
  if (found === markerOf(wanted)) return
  const { database } = wanted
  if (found === undefined && documents === 0) throw notPrepared(`The database ${database} is empty`)
  const why =
    found === undefined ? 'was not created by unikv' : 'holds values of another kind (option "values")'
  throw invalidConfig(`The database ${database} ${why}. Name another database.`)
}

function markerOf({ documents }: Wanted): string {
  return documents ? '1 document' : '1 bytes'
}

const remedy = 'Call prepareCouchdb with these options once, or set prepare: true.'

function notPrepared(what: string): StoreError {
  return new StoreError('NOT_PREPARED', `${what}. ${remedy}`)
}
