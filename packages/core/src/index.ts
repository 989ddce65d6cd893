// not under its own name: a module that exports `then` is taken for a promise by `import()`

export type { ComposeOptions } from './batches/dispatch.ts'
export { bytes } from './codecs/bytes.ts'
export { type Codec, type CodecCapabilities, codec } from './codecs/codec.ts'
export { document, type Json, json } from './codecs/json.ts'
export type { OutputOf, Schema, SchemaResult } from './codecs/schema.ts'
export { text } from './codecs/text.ts'
export { type Awaitable, andThen, areAtHand, isPromise } from './contract/awaitable.ts'
export type { Bytes } from './contract/bytes.ts'
export {
  type BatchCapability,
  type Capabilities,
  type CapabilityKind,
  capabilityTable,
  type DeclaredBy,
  type ScanCapability,
  type TtlCapability,
} from './contract/capabilities.ts'
export { capabilityFlags, capabilityRanks } from './contract/capability-kinds.ts'
export { isConditionFailed, isEntry, isLive, isNotModified, isWritten } from './contract/entry.ts'
export {
  type ErrorCode,
  type ErrorIssue,
  isStoreError,
  StoreError,
  type StoreErrorOptions,
  toStoreError,
} from './contract/errors.ts'
export type {
  GroupCall,
  GroupChange,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from './contract/groups.ts'
export type { Scalar, StoreQuery, Totals } from './contract/query.ts'
export type { ServerStatistics } from './contract/statistics.ts'
export type {
  CallOptions,
  Check,
  ConditionFailed,
  DeleteMutation,
  Entry,
  Found,
  IncrementMutation,
  LayerFacts,
  Mutation,
  NotModified,
  Page,
  Pages,
  Read,
  ReadMeta,
  ReadResult,
  ScanEntry,
  ScanRange,
  SetMutation,
  Store,
  TogetherChange,
  TouchMutation,
  Version,
  WriteResult,
  Written,
} from './contract/store.ts'
export { isVersion, newVersion } from './contract/version.ts'
export { writePrepared } from './contract/write-prepared.ts'
export type {
  AggregateOptions,
  ByScan,
  FieldCondition,
  FindOptions,
  Matching,
  Where,
} from './find/options.ts'
export {
  type Deleted,
  type Finds,
  type FindsByScan,
  type Head,
  type Increments,
  type Keys,
  type KeyValue,
  type KeyValueBase,
  type Revalidates,
  remove,
  type Scan,
  type ScanPage,
  type Scans,
  type Touches,
  type Updates,
} from './key-value/key-value.ts'
export { type KeyValueOf, type KeyValueOptions, keyValue } from './key-value/open-key-value.ts'
export type {
  CallSettings,
  ClearOptions,
  CountOptions,
  DeleteItem,
  DeleteOptions,
  ExpirySettings,
  IncrementOptions,
  KeyPrefix,
  RangeSettings,
  Refused,
  ScanOptions,
  ScanSettings,
  SetExpiry,
  SetItem,
  SetManyEntry,
  SetManyOptions,
  SetOptions,
  TouchOptions,
  UpdateOptions,
  WriteItem,
  WriteOptions,
} from './key-value/settings.ts'
export { type Feature, type Features, type Supporting, supports } from './key-value/supports.ts'
export type { Change } from './key-value/update.ts'
export type { KeyCodec } from './keys/key-codec.ts'
export {
  type AnyStore,
  type CapabilitiesOf,
  type Checked,
  type Composed,
  compose,
  type NativeOf,
  type ValueOf,
} from './stack/compose.ts'
export {
  type AnyLayer,
  type AnyValue,
  type Layer,
  type LayerOptions,
  type LayerPlan,
  layer,
  type PassThrough,
  passThrough,
  type ValueKind,
  type Verbs,
} from './stack/layer.ts'
export { mapPages } from './stack/pages.ts'
