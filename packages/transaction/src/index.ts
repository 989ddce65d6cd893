export {
  type TransactionalCapabilities,
  type TransactionalLayer,
  type TransactionalOptions,
  transactionLog,
} from './layer/transactional.ts'
export type { LogStore } from './log/log.ts'
export type { Fate, LogRecord } from './log/record.ts'
export { type MarkView, type OnceSettings, once } from './outbox/once.ts'
export type {
  DeadLetters,
  Handler,
  HandlerCall,
  Handlers,
  OutboxMessage,
  Relay,
  RelayOptions,
  RelayStatistics,
} from './outbox/options.ts'
export { type Outbox, type OutboxOptions, outbox } from './outbox/outbox.ts'
export type { OutboxView, PublishSettings } from './outbox/publishing.ts'
export type { Pending, PendingOptions, PendingTransaction } from './recovery/pending.ts'
export type { Recovered, RecoverOptions } from './recovery/recover.ts'
export type { Isolation } from './run/commit.ts'
export type { TransactionExpiry, TransactionView } from './run/view.ts'
export type { SagaEnd, SagaOptions, SagaStep, StepCall } from './saga/options.ts'
export type { SagaStore } from './saga/record.ts'
export { type ResumedSagas, type Saga, type SagaSettings, saga } from './saga/saga.ts'
export type { SqlView } from './sql/branch.ts'
export type { SqlIsolation } from './sql/dialect.ts'
export type { MysqlPool } from './sql/mysql.ts'
export type { PostgresPool } from './sql/postgres.ts'
export { type SqlDatabase, type SqlOptions, type SqlPool, sql } from './sql/source.ts'
export type { TransactionEnd, TransactionMonitor } from './telling.ts'
export { transactional } from './transactional.ts'
export {
  type TransactionOf,
  type TransactionSettings,
  type TransactionStatistics,
  type TransactionStores,
  type Transactions,
  type TransactionsOptions,
  transactions,
} from './transactions.ts'
