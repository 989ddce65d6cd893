export {
  apart,
  block,
  codeOf,
  errorOf,
  keysOf,
  mutate,
  readOne,
  readText,
  refusals,
  resultsOf,
  setText,
  textIn,
  type Unversioned,
  writeAll,
  writeOne,
} from './calls.ts'
export type { Fault, FaultSide, FaultSides, InjectedFault } from './faults/fault.ts'
export { type FaultProxy, faultProxy } from './faults/fault-proxy.ts'
export { type FrameProxy, type FrameRewriter, frameProxy } from './faults/frame-proxy.ts'
export type { Traffic } from './faults/traffic.ts'
export { handles } from './handles.ts'
export {
  type ContendedHistoryOptions,
  contendedHistories,
  type FaultedHistories,
  type FaultedHistoryOptions,
  faultedHistories,
} from './history/faulted-history.ts'
export { type Judgement, judge } from './history/linearizable.ts'
export type { HistoryOperation, HistoryRead, HistoryWrite, Token } from './history/operation.ts'
export {
  type ConditionalKeyValue,
  type Recording,
  type RecordOptions,
  recordHistory,
} from './history/record.ts'
export { type Sabotage, type SabotageOptions, sabotage } from './history/saboteur.ts'
export { judgeTransactions, type Serializability } from './history/serializable.ts'
export type { RecordedTransaction, Stamp } from './history/transaction.ts'
export {
  ensureTestTools,
  type MissingTool,
  type TestTool,
  type ToolOptions,
  testTools,
} from './install/test-tools.ts'
export { noteCounts } from './note-counts.ts'
export { type OwnServer, type OwnServerOptions, ownServer, ownServerObstacle } from './own-server.ts'
export { serverKinds } from './recipes.ts'
export { mulberry32 } from './schedules/random.ts'
export type { MissingServer, ServerKind, ServerSet, ServerSource, TestServer } from './server.ts'
export { type StartOptions, startServer, startServers } from './start-servers.ts'
export { serverEnvironment, type TestServerAddress, testServer, testServers } from './test-servers.ts'
