export { type CouchdbStore, couchdb, prepareCouchdb } from './couchdb.ts'
export type { CouchdbCapabilities } from './couchdb-capabilities.ts'
export type { CouchdbDurability, CouchdbOptions } from './couchdb-options.ts'
export type { CouchdbNative } from './native.ts'
