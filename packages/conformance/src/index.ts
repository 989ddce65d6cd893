export {
  type CollectingRunner,
  type CollectingRunnerOptions,
  type ConformanceFailure,
  type ConformanceReport,
  collectingRunner,
} from './collecting-runner.ts'
export { conformance } from './conformance.ts'
export {
  hostileKeyClasses,
  hostileKeys,
  type InvalidKey,
  invalidKeys,
  type KeyClass,
} from './hostile-keys.ts'
export {
  type ConformanceOptions,
  type DescribeFunction,
  type TestClock,
  type TestFunction,
  testClock,
} from './options.ts'
