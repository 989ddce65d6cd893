// Parts that the clients of SQL databases share: connections lent from a pool, transactions on them, tables and rows.

export { Borrower, Lender, type SqlPool } from './lender.ts'
export { Failure, Lent } from './lent.ts'
export { type Held, Session, type Sessions } from './session.ts'
export { closePool, track } from './sockets.ts'
export { type SqlAddress, sqlAddress, sqlTable } from './sql-options.ts'
export { checkDurability, type Marker, openSqlTable, type SqlDurability, type SqlTable } from './table.ts'
export { namePages, SqlTransaction } from './transaction.ts'
export {
  documentOf,
  entryOf,
  expiryColumn,
  type ReadKind,
  readKindOf,
  type SqlRow,
} from './values.ts'
