import type { Bytes, Store } from '@unikv/core'
import { datasetName, diskStatistics } from '@unikv/core/adapter'
import { capabilitiesOf, type FileCapabilities } from './capabilities.ts'
import { FileDataset } from './dataset.ts'
import { nodeFileSystem, syncFileSystem } from './disk/node-file-system.ts'
import { type FileOptions, fileSettings } from './options.ts'
import { systemProcesses } from './writers/owner.ts'

/** Where the records of a file store are. */
export interface FileNative {
  /** The folder of the dataset. */
  readonly folder: string
  /** The file of a canonical key, whether there is one or not. */
  pathOf(key: string): string
}

/** A file store. */
export type FileStore<O extends FileOptions = FileOptions> = Store<Bytes, FileCapabilities<O>, FileNative>

/**
 * A store in a folder of files, one for each record. A record is replaced as a whole or not at all; conditions,
 * `touch` and `increment` are one atomic step over all processes of a machine that use the folder.
 *
 * Nothing is opened before the first call. Nothing outside `directory` is touched, and nothing in it but the
 * folder of the dataset.
 *
 * @throws {StoreError} `INVALID_CONFIG` for settings that cannot be
 */
export function file<const O extends FileOptions>(options: O): FileStore<O> {
  const settings = fileSettings(options)
  const { name, durability, sync } = settings
  const dataset = new FileDataset(settings, sync ? syncFileSystem : nodeFileSystem, systemProcesses)
  return {
    name,
    // The types say the same as the settings.
    dataset: datasetName('file', dataset.folder.path),
    capabilities: capabilitiesOf(durability, sync ? 'all' : 'none') as FileCapabilities<O>,
    native: { folder: dataset.folder.path, pathOf: (key) => dataset.folder.place(key).path },
    read: (reads) => dataset.read(reads),
    write(mutations, call) {
      // Until a record takes its place: what waits for others is certain.
      call.sent = false
      return dataset.write(mutations, call)
    },
    scan: (range) => (sync ? dataset.pagesNow(range) : dataset.pages(range)),
    // The size of so many files is not worth a look at each.
    statistics: () => diskStatistics({ folder: settings.directory, files: [], isClosed: dataset.isClosed }),
    close: () => dataset.close(),
  }
}
