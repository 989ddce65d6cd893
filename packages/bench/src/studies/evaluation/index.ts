export {
  type Candidate,
  type CandidateState,
  type EvaluationConfig,
  eventualName,
  type Scenario,
} from './config.ts'
export { configured } from './document/configure.ts'
export type {
  CandidateDocument,
  EvaluationDocument,
  ScenarioDocument,
  SweepDocument,
  WorkloadDocument,
} from './document/document.ts'
export { evaluationDocument } from './document/read-document.ts'
export { evaluation } from './evaluation.ts'
export { leastMs } from './plan.ts'
export type {
  EvaluationBody,
  EvaluationResult,
  LevelComparison,
  Ranked,
  ScenarioResult,
  Shape,
  ShapeOf,
} from './result.ts'
