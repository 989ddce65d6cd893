export type { ApprovalPolicy, Approve } from './approval.ts'
export type { Decision, Weighed } from './decide/decide.ts'
export { explained } from './explain/explained.ts'
export { figureText } from './explain/figure-text.ts'
export { troubleText } from './explain/trouble-text.ts'
export { verdictText } from './explain/verdict-text.ts'
export type { LessonsState } from './learn/lessons-state.ts'
export type { Action, Nothing, State } from './log/action.ts'
export type { Pause, Pauses } from './log/pauses.ts'
export { type Kept, type LogKeeper, TunerLog } from './log/tuner-log.ts'
export type { StoreWork, Work, WorkFigures } from './observe/work.ts'
export { type Advice, type AdviceQuery, advise } from './run/advise.ts'
export { dryRun, type Hindsight } from './run/dry-run.ts'
export type {
  Candidate,
  Change,
  Effect,
  Facts,
  Figure,
  Knowledge,
  Tactic,
  TunedStore,
} from './tactic.ts'
export { builtIn } from './tactics/built-in.ts'
export { type HookOptions, type HookRequest, hookTactic } from './tactics/hook-tactic.ts'
export { type KnownTactic, knownFrom, knownTactics } from './tactics/known-tactics.ts'
export { readsAt } from './tactics/settings/levels.ts'
export { tierIn } from './tactics/settings/tiers.ts'
export { type TunerOptions, tuner } from './tuner.ts'
export type { PauseOptions, Tuner } from './tuner-api.ts'
