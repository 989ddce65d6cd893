export { describeWith, describeWithOwn, isWhole, longTest, notEmbedded, someOf } from './describe-with.ts'
export {
  describeHistories,
  type HistoriesOfStore,
  testContendedHistories,
} from './history/describe-histories.ts'
export { type AwsAdapter, type AwsClient, testAwsClients } from './http/aws-clients.ts'
export { describeLies, type LiedTo } from './http/describe-lies.ts'
export { type KilledWriters, testKilledWriters } from './kills/killed-writers.ts'
export { describeHttpNetwork, type NetworkRun, networkRun } from './network-run.ts'
export { smallMemory } from './small-memory.ts'
