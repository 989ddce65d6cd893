// not under its own name: a module that exports `then` is taken for a promise by `import()`
export { type Awaitable, andThen, areAtHand, isPromise } from './awaitable.ts'
export type { Bytes } from './bytes.ts'
export type { BatchCapability, Capabilities, ScanCapability, TtlCapability } from './capabilities.ts'
export { bytes } from './codecs/bytes.ts'
export { type Codec, type CodecCapabilities, codec } from './codecs/codec.ts'
export { document, type Json, json } from './codecs/json.ts'
export type { OutputOf, Schema, SchemaResult } from './codecs/schema.ts'
export { text } from './codecs/text.ts'
export {
  type AnyStore,
  type CapabilitiesOf,
  type Checked,
  type Composed,
  compose,
  type NativeOf,
  type ValueOf,
} from './compose.ts'
export type { ComposeOptions } from './dispatch.ts'
export { isConditionFailed, isEntry, isLive, isNotModified, isWritten } from './entry.ts'
export {
  type ErrorCode,
  isStoreError,
  StoreError,
  type StoreErrorOptions,
  toStoreError,
} from './errors.ts'
export type { KeyCodec } from './key-codec.ts'
export {
  type CallSettings,
  type ClearOptions,
  type CountOptions,
  type DeleteOptions,
  type IncrementOptions,
  type Increments,
  type Keys,
  type KeyValue,
  type KeyValueBase,
  type Refused,
  type Revalidates,
  remove,
  type Scan,
  type ScanOptions,
  type ScanPage,
  type ScanSettings,
  type Scans,
  type SetManyOptions,
  type SetOptions,
  type Touches,
  type Updates,
} from './key-value.ts'
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
} from './layer.ts'
export { type KeyValueOf, type KeyValueOptions, keyValue } from './open-key-value.ts'
export { mapPages } from './pages.ts'
export type {
  CallOptions,
  ConditionFailed,
  DeleteMutation,
  Entry,
  IncrementMutation,
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
  StandIn,
  Store,
  TouchMutation,
  ValueDelta,
  Version,
  WriteResult,
  Written,
} from './store.ts'
export { type Feature, type Features, type Supporting, supports } from './supports.ts'
export type { Change } from './update.ts'
export { isVersion, newVersion } from './version.ts'
export { writePrepared } from './write-prepared.ts'
