import type { Bytes, Capabilities, Store } from '@unikv/core'
import { datasetName } from '@unikv/core/adapter'
import { FileDataset } from './dataset.ts'
import { nodeFileSystem, syncFileSystem } from './disk/node-file-system.ts'
import { maxValueBytes } from './disk/read-file.ts'
import { maxKeyBytes } from './key-name.ts'
import { type FileOptions, fileSettings } from './options.ts'
import { systemProcesses } from './writers/owner.ts'

/** Capabilities of the file store, by its options. */
export interface FileCapabilities<O extends FileOptions = FileOptions> extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly touch: true
  readonly increment: true
  readonly existed: true
  readonly durability: DurabilityOf<O>
  readonly evicts: false
  readonly sealed: false
  readonly documents: false
  readonly deltas: false
  readonly sync: O extends { readonly sync: true } ? 'all' : 'none'
}

/** The durability of options; either, if they do not tell. */
type DurabilityOf<O extends FileOptions> = O extends {
  readonly durability: infer D extends 'flushed' | 'buffered'
}
  ? D
  : 'durability' extends keyof O
    ? 'flushed' | 'buffered'
    : 'flushed'

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
    capabilities: capabilities(durability, sync ? 'all' : 'none') as FileCapabilities<O>,
    native: { folder: dataset.folder.path, pathOf: (key) => dataset.folder.place(key).path },
    read: (reads) => dataset.read(reads),
    write(mutations, call) {
      // Until a record takes its place: what waits for others is certain.
      call.sent = false
      return dataset.write(mutations, call)
    },
    scan: (range) => (sync ? dataset.pagesNow(range) : dataset.pages(range)),
    close: () => dataset.close(),
  }
}

function capabilities(durability: 'flushed' | 'buffered', sync: 'all' | 'none'): Capabilities {
  return {
    scan: { order: 'none', delivery: 'once', prefix: 'filtered' },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: true,
    existed: true,
    batch: { atomicity: 'none', maxItems: 1_000, maxBytes: 67_108_864, coalesce: false },
    maxKeyBytes,
    maxValueBytes,
    durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents: false,
    deltas: false,
    sync,
  }
}
