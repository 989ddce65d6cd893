export { type LmdbCapabilities, type LmdbOptions, type LmdbStore, lmdb } from './lmdb.ts'
export type { LmdbDatabase } from './lmdb-client.ts'
