export { type BehindProxy, type Proxied, proxied } from './behind-proxy.ts'
export type {
  OpenSql,
  SqlBench,
  SqlCapabilities,
  SqlClient,
  SqlKeyValue,
  SqlOptions,
  SqlStore,
} from './bench.ts'
export { testExpiry } from './expiry.ts'
export { testFaults } from './faults.ts'
export { freshTable } from './fresh-table.ts'
export { type Explain, testIndexes } from './indexes.ts'
export { testKilledServer } from './killed.ts'
export { type SqlUsers, testLeastRights } from './least-rights.ts'
export { type SqlOpening, type SqlOpeningHooks, type SqlPlace, sqlOpening, testOpening } from './opening.ts'
export { type SqlValues, testValues } from './values.ts'
