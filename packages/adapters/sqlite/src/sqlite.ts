import {
  andThen,
  type Bytes,
  type CallOptions,
  isStoreError,
  type Json,
  type Mutation,
  type Page,
  type ReadResult,
  type ScanEntry,
  type ScanRange,
  type Store,
  StoreError,
  toStoreError,
} from '@unikv/core'
import { datasetName } from '@unikv/core/adapter'
import { capabilitiesOf, type DocumentsOf, type SqliteCapabilities } from './capabilities.ts'
import { OwnThread, WorkerThreads } from './client/access.ts'
import { refusedToo } from './client/engine.ts'
import type { Stored } from './client/jobs.ts'
import type { SqliteDatabase } from './client/sqlite-client.ts'
import { type SqliteOptions, type SqliteSettings, settingsOf } from './options.ts'
import { bytesForm, decoded, documentForm, encoded, type ValueForm } from './values.ts'

/**
 * A SQLite store. `native` is a connection of `libsql` to the same file in the caller's thread; asking for it opens the
 * file.
 */
export type SqliteStore<O extends SqliteOptions = SqliteOptions> = Store<
  DocumentsOf<O> extends true ? Json : Bytes,
  SqliteCapabilities<O>,
  SqliteDatabase
>

/**
 * A table in a file of SQLite, by the synchronous client `libsql` on worker threads: ordered, transactional, shared
 * with other processes of the machine. Each call of `write` is done as a whole.
 *
 * Nothing is opened before the first call, and `libsql` is loaded by it.
 *
 * @throws {StoreError} `INVALID_CONFIG` for settings that cannot be
 */
export function sqlite<const O extends SqliteOptions>(options: O): SqliteStore<O> {
  const settings = settingsOf(options)
  // The options say which of them it is.
  return (settings.file.documents
    ? storeOf(settings, documentForm)
    : storeOf(settings, bytesForm)) as unknown as SqliteStore<O>
}

function storeOf<V>(settings: SqliteSettings, form: ValueForm<V>): Store<V> {
  const access = settings.threads === 0 ? new OwnThread(settings) : new WorkerThreads(settings)
  const decodeAll = (results: readonly ReadResult<Stored>[]): readonly ReadResult<V>[] =>
    results.map((result) => decoded(form, result))
  return {
    name: settings.name,
    dataset: datasetName('sqlite', settings.file.path, settings.file.table),
    capabilities: capabilitiesOf(settings),
    get native() {
      return access.native
    },
    read: (reads, call) => andThen(access.read(reads, call), decodeAll),
    write(mutations, call) {
      if (settings.file.readOnly) throw readOnlyError()
      const stored = mutations.map((mutation) => encodedOr(form, mutation))
      const refusal = stored.find(isStoreError)
      if (refusal !== undefined) return stored.map((one) => (isStoreError(one) ? one : refusedToo(refusal)))
      // Until it is on its way to a thread.
      call.sent = false
      return access.ask({ verb: 'write', mutations: stored as readonly Mutation<Stored>[] }, call)
    },
    scan: (range, call) =>
      access instanceof OwnThread ? pagesNow(access, form, range, call) : pages(access, form, range, call),
    close: () => access.close(),
  }
}

function readOnlyError(): StoreError {
  return new StoreError('ACCESS_DENIED', 'This store was opened with readOnly: true; nothing was changed.')
}

function encodedOr<V>(form: ValueForm<V>, mutation: Mutation<V>): Mutation<Stored> | StoreError {
  try {
    return encoded(form, mutation)
  } catch (error) {
    return toStoreError(error, { code: 'INVALID_VALUE' })
  }
}

function* pagesNow<V>(
  access: OwnThread,
  form: ValueForm<V>,
  range: ScanRange,
  call: CallOptions,
): Generator<Page<V>> {
  let { resume } = range
  do {
    const page = decodedPage(form, access.ask({ verb: 'scan', range: { ...range, resume } }, call))
    yield page
    resume = page.resume
  } while (resume !== undefined)
}

async function* pages<V>(
  access: WorkerThreads,
  form: ValueForm<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  let { resume } = range
  do {
    const page = decodedPage(form, await access.ask({ verb: 'scan', range: { ...range, resume } }, call))
    yield page
    resume = page.resume
  } while (resume !== undefined)
}

function decodedPage<V>(form: ValueForm<V>, page: Page<Stored>): Page<V> {
  const entries = page.entries.map(
    ({ key, entry }) =>
      (entry === undefined ? { key } : { key, entry: decoded(form, entry) }) as ScanEntry<V>,
  )
  return { ...page, entries }
}
