export type { CouchdbCapabilities } from './capabilities.ts'
export type { CouchdbNative } from './client/native.ts'
export { type CouchdbStore, couchdb, prepareCouchdb } from './couchdb.ts'
export type { CouchdbDurability, CouchdbOptions } from './options.ts'
