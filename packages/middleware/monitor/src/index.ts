export type { Operation } from './meter.ts'
export { type Monitor, type MonitorOptions, monitor } from './monitor.ts'
export { type CallMessage, channelNames } from './publishing.ts'
export type {
  LatencySnapshot,
  MonitorSnapshot,
  OperationSnapshot,
  ReadSnapshot,
  StoreSnapshot,
  WriteSnapshot,
} from './snapshot.ts'
