export type { SqliteCapabilities } from './capabilities.ts'
export type { SqliteDatabase, SqliteStatement } from './file/sqlite-client.ts'
export type { SqliteOptions } from './options.ts'
export { type SqliteStore, sqlite } from './sqlite.ts'
