export {
  type TransactionalCapabilities,
  type TransactionalOptions,
  transactional,
} from './layer/transactional.ts'
export type { Fate, LogRecord, LogStore } from './log/log.ts'
export type { Recovered, RecoverOptions } from './recovery/recover.ts'
export type { Isolation } from './run/commit.ts'
export type { TransactionExpiry, TransactionView } from './run/view.ts'
export {
  type TransactionOf,
  type TransactionSettings,
  type TransactionStatistics,
  type TransactionStores,
  type Transactions,
  type TransactionsOptions,
  transactions,
} from './transactions.ts'
