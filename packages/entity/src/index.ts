export type {
  EntityCallSettings,
  EntityDb,
  EntityReads,
  EntityStatistics,
  EntityTransaction,
  EntityWrites,
  IndexSettings,
  ReindexReport,
  ReindexSettings,
  RunSettings,
  SweepReport,
  SweepSettings,
} from './contract/entity-db.ts'
export type { EntityPage, EntityQuery, EntityTotals, EntityWhere } from './contract/entity-query.ts'
export { type ClearNativeOptions, clearNativeGroups } from './database/clear-native.ts'
export { type EntitiesOptions, entities } from './database/entities.ts'
export { entity } from './definition/entity.ts'
export type {
  AnyEntityType,
  Defined,
  Definition,
  EntityOf,
  EntityType,
  Group,
  IdOf,
  IndexKey,
  IndexOf,
  IndexOn,
  KeyProperty,
  NewOf,
  NumberProperty,
} from './definition/entity-type.ts'
export { plain } from './definition/plain.ts'
export type { TransactionKind } from './groups/choose-groups.ts'
export type { GroupKeyValue } from './groups/record-store.ts'
export { type LinearOptions, linear } from './retry/linear.ts'
export { profiles, type RetryProfile } from './retry/profiles.ts'
export {
  type BackOffOptions,
  exponential,
  type LostAttempt,
  type RetryPolicy,
} from './retry/retry-policy.ts'
