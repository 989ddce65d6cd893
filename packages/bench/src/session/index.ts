export { type ExpectedVisits, expectedVisits } from './analysis/expected-visits.ts'
export type { ModeShares } from './analysis/mode-shares.ts'
export { type Simulation, type SimulationOptions, simulate } from './analysis/simulate.ts'
export type { Benchmark } from './model/benchmark.ts'
export { checkPlaces } from './model/check-places.ts'
export { Draws } from './model/draws.ts'
export {
  type Answer,
  type Call,
  type Execute,
  type Execution,
  type Executions,
  type Interaction,
  type Interactions,
  interaction,
  interactions,
  type Plan,
  type Plans,
  type Visit,
} from './model/interaction.ts'
export type { Limits } from './model/limits.ts'
export type {
  DeclaredParameters,
  Parameter,
  Parameters,
  ParameterValue,
  ParameterValues,
  RandomParameter,
} from './model/parameters.ts'
export {
  type CheckedModel,
  checkedModel,
  type ModelContext,
  type SessionModel,
} from './model/session-model.ts'
export { meanMs, type ThinkTime, type ThinkTimes } from './model/think-time.ts'
export type { Next, Transitions, WeightedNext } from './model/transitions.ts'
export type { Users } from './model/users.ts'
export { type PopulateOptions, type Population, populate } from './run/populate.ts'
export { runSessions, type SessionRun, type SessionSample } from './run/run-sessions.ts'
export { type SessionWorkload, sessionWorkload } from './run/session-workload.ts'
export { type SessionCounts, Sessions } from './run/sessions.ts'
