export type { OperationContext } from './operations/context.ts'
export { type ContextRequest, contextOf } from './operations/context-of.ts'
export {
  builtIn,
  type OperationKind,
  type OperationName,
  type Outcome,
  operationNames,
} from './operations/kinds.ts'
export { mixChooser } from './operations/mix-chooser.ts'
export { type CountedKind, countedKinds, MixedOperations } from './operations/mixed-operations.ts'
export { type CheckCounts, ReadChecks } from './operations/read-checks.ts'
export { checkMix, mixOf, parseMix, type Workload, workloadSchema } from './operations/workload.ts'
