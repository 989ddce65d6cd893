export { describeWith, describeWithOwn, notEmbedded } from './describe-with.ts'
export {
  describeHistories,
  type HistoriesOfStore,
  testContendedHistories,
} from './history/describe-histories.ts'
export { describeLies, type LiedTo } from './http/describe-lies.ts'
export { type NetworkRun, networkRun } from './network-run.ts'
