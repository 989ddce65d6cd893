// What stores, layers and tools that call a store themselves are made of: calls and their ends, errors and outcomes,
// canonical keys, counters, records, documents, the layers of a stack.
export { noteAbsent } from './absences.ts'
export {
  causeOf,
  checkDatasetName,
  checkPositive,
  invalidConfig,
  isUntrusted,
  unanswered,
  unreachable,
  untrusted,
} from './adapter-errors.ts'
export { AnyLevel, levelPastCaches, levelsAbove } from './any-level.ts'
export { checkedKey } from './arguments.ts'
export { attempt, bounded, endOf } from './attempt.ts'
export { type Background, unfailing } from './background.ts'
export { callOptions, leftMs, type ToolCall } from './call.ts'
export {
  afterPrefix,
  canonicalKey,
  checkSegment,
  compareKeys,
  type InternalKind,
  internalKey,
  isUserKey,
  keyBytes,
  namespacePrefix,
  nestedPrefix,
  ownerKey,
  portableKeyBytes,
  storedKey,
  unnamedKey,
  userKey,
} from './canonical-key.ts'
export { checkOptions, kindOf, type OptionNames } from './check-options.ts'
export { checkName, checkOneOf } from './check-texts.ts'
export { checkTls } from './check-tls.ts'
export { checkedMs, checkMs, type MsLimits } from './checked-ms.ts'
export { datasetName } from './dataset-name.ts'
export { Deadlines, type Waiting } from './deadlines.ts'
export { documentText } from './document-text.ts'
// Errors are here too: a worker thread that needs no more of core starts in two thirds of the time.
export { errorCodes, isStoreError, StoreError } from './errors.ts'
export { checkFactoryOptions } from './factory-options.ts'
export { holdStore, releaseStore } from './held-stores.ts'
export { hidesNames, showsNamesOf } from './hidden-names.ts'
export { answersSoon, idleLimitMs, LastUses } from './idle.ts'
export { inParallel } from './in-parallel.ts'
export { incremented } from './increment.ts'
export { type KeysOf, keysOf } from './keys-of.ts'
export { type AnyStack, isNamespace, layersOf } from './layers-of.ts'
export { movingPages } from './moving-pages.ts'
export { Opening } from './opening.ts'
export { cannotLoad, requireHere, requirePackage } from './optional-package.ts'
export {
  type Deed,
  deedOf,
  type Failure,
  mayRetry,
  type Outcome,
  outcomeOf,
  outcomes,
} from './outcomes.ts'
export { heard, ownNumbers } from './own-function.ts'
export { ownRandom, unfailingRandom } from './own-random.ts'
export { withOwnValue } from './own-value.ts'
export { PartCall } from './parts.ts'
export {
  decodeRecord,
  encodeRecord,
  isRecord,
  knownVersionBytes,
  notARecord,
  recordExpiresAt,
  recordExpiresAtOffset,
  recordHeaderBytes,
  recordMagic,
  recordVersion,
  recordVersionOffset,
  versionBytes,
  writeRecord,
} from './record.ts'
export { Scratch } from './scratch.ts'
export { itemBytes, split } from './split.ts'
export { checkStore } from './stack-arguments.ts'
export { StepCall } from './step-call.ts'
export type { StoreCosts, StoreFacts, StoreVariant } from './store-facts.ts'
export { SweepRounds } from './sweep-rounds.ts'
export { type Sweep, Sweeper } from './sweeper.ts'
export { unfailingListener, unfailingNumbers } from './unfailing.ts'
