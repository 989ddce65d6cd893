import type { Bytes, Store } from '@unikv/core'
import { datasetName, diskStatistics, NumberedGroups } from '@unikv/core/adapter'
import { capabilitiesOf, type LmdbCapabilities } from './capabilities.ts'
import type { LmdbDatabase } from './client/lmdb-client.ts'
import { LmdbDataset } from './dataset.ts'
import { filesOf } from './environment/environment-files.ts'
import { LmdbGroups, maxGroupKeyBytes } from './groups/lmdb-groups.ts'
import { type LmdbOptions, lmdbSettings } from './options.ts'

/** An LMDB store. `native` is the dataset's database of the package `lmdb`; asking for it opens the file. */
export type LmdbStore<O extends LmdbOptions = LmdbOptions> = Store<Bytes, LmdbCapabilities<O>, LmdbDatabase>

/**
 * A store in LMDB, inside this process: ordered, transactional, shared with other processes of the machine. Reads
 * answer at once; a write is acknowledged when it is on the disk. Each call of `write` is one transaction.
 *
 * Nothing is opened before the first call, and `lmdb` is loaded by it.
 *
 * @throws {StoreError} `INVALID_CONFIG` for settings that cannot be
 */
export function lmdb<const O extends LmdbOptions>(options: O): LmdbStore<O> {
  const settings = lmdbSettings(options)
  const { name, sync, durability } = settings
  const dataset = new LmdbDataset(settings)
  const groups = new LmdbGroups(settings)
  return {
    name,
    dataset: datasetName('lmdb', settings.path, settings.dataset),
    // The types say the same as the settings.
    capabilities: capabilitiesOf(durability, sync ? 'all' : 'reads') as LmdbCapabilities<O>,
    get native() {
      return dataset.native
    },
    read: (reads) => dataset.read(reads),
    write: (mutations, call) => (sync ? dataset.writeNow(mutations, call) : dataset.write(mutations, call)),
    together: (changes, checks, call) => dataset.together(changes, checks, call),
    scan: (range) => ({
      [Symbol.iterator]: () => dataset.pages(range),
      [Symbol.asyncIterator]: () => dataset.pagesInTurns(range),
    }),
    groups: new NumberedGroups(groups, { maxKeyBytes: maxGroupKeyBytes }),
    statistics: () => {
      const { folder, data } = filesOf(settings.path)
      return diskStatistics({ folder, files: [data], isClosed: dataset.isClosed })
    },
    close: async () => void (await Promise.all([dataset.close(), groups.close()])),
  }
}
