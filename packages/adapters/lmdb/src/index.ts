export type { LmdbCapabilities } from './capabilities.ts'
export type {
  LmdbDatabase,
  LmdbKey,
  LmdbRange,
  LmdbReadTransaction,
  LmdbSnapshot,
  LmdbStats,
  LmdbUsedTransaction,
} from './client/lmdb-client.ts'
export { type LmdbStore, lmdb } from './lmdb.ts'
export type { LmdbOptions } from './options.ts'
