export { type DeltasConfig, type EditPattern, editPatterns, type UseOfDeltas } from './config.ts'
export { deltas } from './deltas.ts'
export { type EditRequest, edited } from './edits.ts'
export type { DeltaCell } from './plan.ts'
export {
  type Reason,
  type Recommendation,
  recommend,
  type Turning,
  type Verdict,
  type WayCosts,
} from './recommend.ts'
export type { DeltaPoint, DeltasBody, DeltasResult, Timed, Way } from './result.ts'
