export { type CallMessage, channelNames } from './channels/publishing.ts'
export type { TracedCall } from './channels/tracing.ts'
export { type Answers, addFrames, type Figures, type Frame, type StoreFigures, type Sums } from './figures.ts'
export type { TransactionEnd } from './meters/transaction-meter.ts'
export { type Monitor, type MonitorOptions, monitor } from './monitor.ts'
export type { Operation } from './operation.ts'
export { type Query, type QueryName, queryNamed } from './query.ts'
export type { RecentCall } from './recent-calls.ts'
export type {
  LatencySnapshot,
  MonitorSnapshot,
  OperationSnapshot,
  ReadSnapshot,
  StoreSnapshot,
  TransactionSnapshot,
  WriteSnapshot,
} from './snapshot.ts'
export { type Summarised, summarised } from './summary.ts'
