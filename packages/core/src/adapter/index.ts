// Parts for stores, layers, and tools that call a store themselves: calls and their ends, errors and outcomes,
// canonical keys, counters, records, documents, the layers of a stack.

export { PartCall } from '../batches/parts.ts'
export { itemBytes, split } from '../batches/split.ts'
export { documentText, withOwnValue } from '../codecs/documents.ts'
export { copyOfData, jsonCodec } from '../codecs/json.ts'
export { bufferOf, double, type Field, hex, Layout, time, u8, u32, u64 } from '../codecs/layout.ts'
export { Scratch } from '../codecs/scratch.ts'
export { Call, endOf, leftMs } from '../contract/call.ts'
export { leftOut } from '../contract/capabilities.ts'
export { capabilitiesIn, lackingIn } from '../contract/capability-kinds.ts'
export { callOptions, type Derivation, derive, type Sent, type ToolCall, within } from '../contract/derive.ts'
// Errors are here too: a worker thread that needs no more of core starts in two thirds of the time.
export { errorCodes, isStoreError, StoreError } from '../contract/errors.ts'
export { levelsAbove, understanding } from '../contract/levels.ts'
export {
  type Deed,
  deedOf,
  type Failure,
  mayRetry,
  type Outcome,
  outcomeOf,
  outcomes,
} from '../contract/outcomes.ts'
export { ownSignal } from '../contract/own-signal.ts'
export { fromPlain, mark, messageOf, type PlainError, toPlain, unmark } from '../contract/plain-error.ts'
export type { FieldOrder, FieldPath, OrderValue, Position, Predicate, QueryPage } from '../contract/query.ts'
export { fingerprintOf, isPosition } from '../find/cursor.ts'
export {
  type DeclaredIndex,
  declaredIndexes,
  indexedPaths,
  noIndex,
  openIndexes,
} from '../find/declared-indexes.ts'
export { Aggregating, Finding } from '../find/finding.ts'
export { fieldName, pathOf } from '../find/parse.ts'
export { matches, orderValueAt, PageOf, placeOf, positionOf, TotalsOf } from '../find/reference.ts'
export {
  foundOf,
  headLength,
  type IndexedSqlField,
  type SqlDialect,
  type SqlField,
  type SqlQuery,
  type SqlValue,
  sqlOf,
  totalsOf,
  typesIn,
} from '../find/sql.ts'
export { storeQueryIn, type WireQuery, wireQueryOf } from '../find/wire.ts'
export { checkedCondition, checkedExpiry, checkedKey } from '../key-value/arguments.ts'
export { type Records, recordsOf } from '../key-value/records/records.ts'
export { streamsOf } from '../key-value/records/streams-of.ts'
export {
  afterPrefix,
  canonicalKey,
  checkSegment,
  compareKeys,
  type InnerNamespace,
  type InternalKind,
  innerNamespace,
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
} from '../keys/canonical-key.ts'
export { copyNotice } from '../keys/copy-notice.ts'
export { decodeCursor, encodeCursor } from '../keys/cursor.ts'
export { datasetName, diskPlaceOf } from '../keys/dataset-name.ts'
export { boundsBeyond, byteBounds, type KeyBounds, keyBounds } from '../keys/key-bounds.ts'
export { checkOptions, kindOf, nearest, type OptionNames } from '../options/check-options.ts'
export { checkName, checkOneOf } from '../options/check-texts.ts'
export { checkTls } from '../options/check-tls.ts'
export { checkedMs, checkMs, type MsLimits } from '../options/checked-ms.ts'
export { checkFactoryOptions } from '../options/factory-options.ts'
export {
  any,
  flag,
  func,
  label,
  listener,
  ms,
  needed,
  oneOf,
  ownClock,
  part,
  plainName,
  positive,
  quietClock,
  quietRandom,
  random,
  share,
  text,
  texts,
  tls,
  valid,
  whole,
} from '../options/kinds.ts'
export {
  type Chosen,
  type Option,
  type OptionsOf,
  type OptionTable,
  readCall,
  readOptions,
  type SettingsOf,
  settingsBy,
} from '../options/option-table.ts'
export { heard, ownNumbers } from '../options/own-function.ts'
export { ownRandom, unfailingRandom } from '../options/own-random.ts'
export { unfailingListener, unfailingNumbers } from '../options/unfailing.ts'
export { Deadlines, type Waiting } from '../platform/deadlines.ts'
export type { AnyStack } from '../stack/any-store.ts'
export { type Background, background, unfailing } from '../stack/background.ts'
export * from '../stack/facts.ts'
export { holdStore, releaseStore } from '../stack/held-stores.ts'
export { hidesNames, showsNamesOf } from '../stack/hidden-names.ts'
export type {
  BeginJoint,
  JointAttempt,
  JointMember,
  JointRecords,
  JointRun,
  JointTransaction,
} from '../stack/joint.ts'
export { type KeysOf, keysOf } from '../stack/keys-of.ts'
export {
  adapterOf,
  codecOf,
  hasCache,
  isNamespace,
  isOfSeveral,
  layersOf,
  layersThrough,
  levelPastCaches,
  namespaceOf,
} from '../stack/layers-of.ts'
export { checkKeyValue, checkStore } from '../stack/stack-arguments.ts'
export type {
  ByteSource,
  NewChange,
  RecordCalls,
  RecordStreams,
  StreamedValue,
  StreamRange,
  StreamReadSettings,
  StreamWriteSettings,
} from '../stack/streams.ts'
export {
  causeOf,
  checkDatasetName,
  checkPositive,
  closed,
  corrupt,
  decoded,
  invalidConfig,
  isUntrusted,
  lost,
  unanswered,
  unreachable,
  untrusted,
} from './adapter-errors.ts'
export { attempt, Bounded, bounded, endedWith, Timed } from './attempt.ts'
export { type LeftoverCounts, Leftovers } from './beside/leftovers.ts'
export { type OrphanOptions, type OrphanPlan, type SweptOrphans, sweepOrphans } from './beside/orphans.ts'
export { flushFolder, makeFolder } from './durable-folder.ts'
export {
  type ErrorRow,
  type ErrorTable,
  errorTable,
  type Failed,
  lostAnswer,
  type Meaning,
  told,
  unlisted,
} from './error-table.ts'
export { checkGroupKey, groupBounds, lostConflict } from './groups/group-keys.ts'
export { NumberedGroups, type NumberedLimits } from './groups/numbered-groups.ts'
export {
  type GroupCheck,
  type GroupCommit,
  type GroupHead,
  type GroupLook,
  type GroupStep,
  type GroupStepAnswer,
  isUnchanged,
  type NumberedStore,
  noGroup,
  type SeenRange,
} from './groups/numbered-store.ts'
export { type GroupFacts, OpenedGroups } from './groups/opened-groups.ts'
export { type GiveBack, Permits } from './groups/permits.ts'
export { type Fate, isOutcomeUnknown, settled } from './groups/settled.ts'
export { answersSoon, idleLimitMs, LastUses } from './idle.ts'
export { inParallel } from './in-parallel.ts'
export { incremented } from './increment.ts'
export { type Met, MetExpired, type Removal } from './met-expired.ts'
export { movingPages } from './moving-pages.ts'
export type { OpenedParts } from './opened-parts.ts'
export { type OpenedStore, Opening, openedStore, openGroupsOnce, openOnce } from './opened-store.ts'
export { cannotLoad, isBundled, requireFrom, requirePackage } from './optional-package.ts'
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
export { addedStatistics, diskStatistics, figureOf, limitOf } from './statistics.ts'
export type { StoreCosts, StoreFacts, StoreVariant } from './store-facts.ts'
export { SweepRounds } from './sweep-rounds.ts'
export { type Sweep, Sweeper } from './sweeper.ts'
export { Turns } from './turns.ts'
export { wereMade, writeResults } from './write-results.ts'
