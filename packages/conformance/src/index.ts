export {
  type CollectingRunner,
  type CollectingRunnerOptions,
  type ConformanceFailure,
  type ConformanceReport,
  collectingRunner,
} from './collecting-runner.ts'
export { conformance } from './conformance.ts'
export { type GroupNetworkOptions, groupNetwork } from './groups/group-network.ts'
export type { GroupOptions, OpenedGroupStore } from './groups/group-options.ts'
export { groupTransactions } from './groups/groups.ts'
export {
  type HalfFailureCall,
  type HalfFailuresOptions,
  halfFailures,
} from './half-failing/half-failures.ts'
export {
  hostileKeyClasses,
  hostileKeys,
  type InvalidKey,
  invalidKeys,
  type KeyClass,
} from './hostile-keys.ts'
export { networkFaults } from './network/network-faults.ts'
export type {
  NetworkCounts,
  NetworkFault,
  NetworkOptions,
  NetworkProxy,
} from './network/network-options.ts'
export { opening } from './opening/opening.ts'
export {
  type ForeignPlace,
  type HandedIn,
  type OpeningModule,
  type OpeningOptions,
  type OpeningServer,
  type Preparing,
  plantedSecret,
} from './opening/opening-options.ts'
export {
  type ConformanceOptions,
  type DescribeFunction,
  type TestClock,
  type TestFunction,
  testClock,
} from './options.ts'
export { topicsOfClients, topicsOfRequests, topicsOfServers, topicsOfValues } from './topics.ts'
