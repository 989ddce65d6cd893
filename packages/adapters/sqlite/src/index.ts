export { type SqliteStore, sqlite } from './sqlite.ts'
export type { SqliteCapabilities } from './sqlite-capabilities.ts'
export type { SqliteDatabase, SqliteStatement } from './sqlite-client.ts'
export type { SqliteOptions } from './sqlite-options.ts'
