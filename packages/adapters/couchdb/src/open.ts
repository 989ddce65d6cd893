import type { CallOptions } from '@unikv/core'
import { callOptions, datasetName, MetExpired, type OpenedStore, openedStore } from '@unikv/core/adapter'
import { HttpClient } from '@unikv/core/http-client'
import { performance } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import { capabilitiesOf } from './capabilities.ts'
import { CouchDatabase } from './client/couch-database.ts'
import { lazyNative } from './client/native.ts'
import { openDatabase, openFieldIndexes } from './database.ts'
import { tombstoneJson, type ValueForm } from './document.ts'
import { find } from './find/find.ts'
import type { CouchdbSettings } from './options.ts'
import { read } from './read.ts'
import { Revisions } from './revisions.ts'
import { scanPages } from './scan.ts'
import { statistics } from './statistics.ts'
import { write } from './write.ts'

/** Longest time that looking at the database may take. */
const openTimeoutMs = 10_000
/** The same for the making of indexes, which takes longer with many records. */
const indexTimeoutMs = 600_000

/** The store of these settings, which holds values in this form. */
export function openStore<V>(settings: CouchdbSettings, form: ValueForm<V>): OpenedStore<V> {
  const { name, origin, path, database, maxConnections, queueLimit, tls } = settings
  const http = new HttpClient('CouchDB', origin, { maxConnections, queueLimit, tls })
  return openedStore<V, Backend<V>>({
    name,
    dataset: datasetName('couchdb', origin.host, path, database),
    capabilities: capabilitiesOf(settings),
    native: lazyNative(settings),
    open: (closing) => openBackend(http, settings, form, closing),
    release: ({ expired }) => expired.stop(),
    read,
    write,
    scan: scanPages,
    find,
    statistics,
    closed: () => http.close(),
  })
}

async function openBackend<V>(
  http: HttpClient,
  settings: CouchdbSettings,
  form: ValueForm<V>,
  signal: AbortSignal,
): Promise<Backend<V>> {
  const { path, authorization, maxValueBytes, durability } = settings
  const couch = new CouchDatabase(http, path, authorization)
  const within = (timeoutMs: number): CallOptions =>
    callOptions({ deadlineAt: performance.now() + timeoutMs, signal })
  await openDatabase(couch, settings, within(openTimeoutMs))
  await openFieldIndexes(couch, settings, within(indexTimeoutMs))
  return {
    couch,
    form,
    maxValueBytes,
    isReplicated: durability === 'replicated',
    revisions: new Revisions(),
    expired: metExpired(couch),
  }
}

/** Removes expired documents; each deletion names the revision that was met. */
function metExpired(couch: CouchDatabase): MetExpired<string> {
  return new MetExpired({
    atOnce: 256,
    remove: (met, call) =>
      couch.write(
        met.map(([id, rev]) => tombstoneJson(id, rev)),
        call,
      ),
  })
}
