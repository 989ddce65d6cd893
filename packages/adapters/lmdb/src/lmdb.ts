import type { Bytes, Capabilities, Store } from '@unikv/core'
import { datasetName } from '@unikv/core/adapter'
import type { LmdbDatabase } from './client/lmdb-client.ts'
import { LmdbDataset } from './dataset.ts'
import { type LmdbOptions, lmdbSettings } from './options.ts'

/** Capabilities of the LMDB store, by its options. */
export interface LmdbCapabilities<O extends LmdbOptions = LmdbOptions> extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
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
  readonly sync: SyncOf<O>
}

/** Which verbs answer at once; either, if the options do not tell. */
type SyncOf<O extends LmdbOptions> = O extends { readonly sync: infer S extends boolean }
  ? S extends true
    ? 'all'
    : 'reads'
  : 'sync' extends keyof O
    ? 'all' | 'reads'
    : 'reads'

/** The durability of options; either, if they do not tell. */
type DurabilityOf<O extends LmdbOptions> = O extends {
  readonly durability: infer D extends 'flushed' | 'buffered'
}
  ? D
  : 'durability' extends keyof O
    ? 'flushed' | 'buffered'
    : 'flushed'

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
  return {
    name,
    dataset: datasetName('lmdb', settings.path, settings.dataset),
    // The types say the same as the settings.
    capabilities: capabilities(durability, sync ? 'all' : 'reads') as LmdbCapabilities<O>,
    get native() {
      return dataset.native
    },
    read: (reads) => dataset.read(reads),
    write: (mutations, call) => (sync ? dataset.writeNow(mutations, call) : dataset.write(mutations, call)),
    scan: (range) => ({
      [Symbol.iterator]: () => dataset.pages(range),
      [Symbol.asyncIterator]: () => dataset.pagesInTurns(range),
    }),
    close: () => dataset.close(),
  }
}

function capabilities(durability: 'flushed' | 'buffered', sync: 'all' | 'reads'): Capabilities {
  return {
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed', reverse: true },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: true,
    existed: true,
    batch: { atomicity: 'all', maxItems: 100_000, maxBytes: 268_435_456, coalesce: false },
    maxKeyBytes: 1_978,
    maxValueBytes: 1_073_741_824,
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
