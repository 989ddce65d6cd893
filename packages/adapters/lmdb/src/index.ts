export { type LmdbCapabilities, type LmdbStore, lmdb } from './lmdb.ts'
export type {
  LmdbDatabase,
  LmdbKey,
  LmdbRange,
  LmdbReadTransaction,
  LmdbSnapshot,
  LmdbStats,
  LmdbUsedTransaction,
} from './lmdb-client.ts'
export type { LmdbOptions } from './options.ts'
