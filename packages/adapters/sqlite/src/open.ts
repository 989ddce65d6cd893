import { dirname } from 'node:path'
import type { Store } from '@unikv/core'
import { datasetName, diskStatistics, NumberedGroups, wereMade } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { capabilitiesOf } from './capabilities.ts'
import { OwnThread, WorkerThreads } from './client/access.ts'
import { find } from './find/find.ts'
import type { SqliteSettings } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { maxGroupKeyBytes, SqliteGroups } from './sqlite-groups.ts'
import type { ValueForm } from './values.ts'
import { write } from './write.ts'

/**
 * The store of these settings, which holds values in this form. Each thread opens the file with its first job. Without
 * `openedStore` of core, whose verbs answer later: a store without threads answers at once.
 */
export function openStore<V>(settings: SqliteSettings, form: ValueForm<V>): Store<V> {
  const { name, file, threads } = settings
  const access = threads === 0 ? new OwnThread(settings) : new WorkerThreads(settings)
  const backend: Backend<V> = { access, form, readOnly: file.readOnly }
  return {
    name,
    dataset: datasetName('sqlite', file.path, file.table),
    capabilities: capabilitiesOf(settings),
    get native() {
      return access.native
    },
    read: (reads, call) => read(backend, reads, call),
    write: (mutations, call) => write(backend, mutations, call),
    together: async (changes, checks, call) => wereMade(await write(backend, changes, call, checks)),
    ...(file.documents && { find: (query, call) => find(backend, settings, query, call) }),
    scan: (range, call) => scanPages(backend, range, call),
    groups: new NumberedGroups(new SqliteGroups(access, file.readOnly), { maxKeyBytes: maxGroupKeyBytes }),
    statistics: () =>
      diskStatistics({
        folder: dirname(file.path),
        files: [file.path, `${file.path}-wal`],
        isClosed: access.isClosed,
      }),
    close: () => access.close(),
  }
}
