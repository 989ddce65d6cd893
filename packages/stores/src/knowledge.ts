// Facts about stores in general, for those who choose one: the words of their makers, not the use that the adapters make of them.
export { withFacts } from './knowledge/facts-file.ts'
export type { Fact, KnownStore, WrittenStore } from './knowledge/known-store.ts'
export { knownStores } from './knowledge/known-stores.ts'
export {
  requirementsIn,
  requirementsSchema,
  type StoreRequirements,
  storeRequirementsSchema,
} from './knowledge/requirements.ts'
export { type GeneralScenario, generalScenarios, scenarioNamed } from './knowledge/scenarios.ts'
export { type Finding, type Requirements, type Screened, screen } from './knowledge/screen.ts'
export {
  type FactName,
  type FactValue,
  factNames,
  factText,
  type Question,
  type Requirement,
  vocabulary,
} from './knowledge/vocabulary.ts'
