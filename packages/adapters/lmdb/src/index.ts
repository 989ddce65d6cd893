export { type LmdbCapabilities, type LmdbStore, lmdb } from './lmdb.ts'
export type {
  LmdbDatabase,
  LmdbRange,
  LmdbReadTransaction,
  LmdbStats,
  LmdbUsedTransaction,
} from './lmdb-client.ts'
export type { LmdbOptions } from './options.ts'
