export {
  type Configuration,
  type DashboardConfiguration,
  type DecoderConfiguration,
  type DecoderName,
  defineConfig,
  type LayerConfiguration,
  type MonitorConfiguration,
  type PairConfiguration,
  type StoreConfiguration,
  type UsedConfiguration,
} from './configuration/configuration.ts'
export type { EnvironmentOptions, OpenStoreOptions, OpenStoresOptions } from './configuration/configured.ts'
export { documentIn } from './configuration/document-in.ts'
export { findConfig, loadConfig } from './configuration/load-config.ts'
export type { StoresUsed, StoreUse, StoreUses } from './configuration/uses.ts'
export type { Environment } from './configuration/variables.ts'
export type { Health, StoreHealth } from './health.ts'
export type { LayerName, NamedLayers } from './layers/layer-types.ts'
export type { AnyManager, Manager, ReadyOptions, ReloadOptions } from './manager.ts'
export { type OpenedHistory, openHistory } from './open-history.ts'
export { openStore, type SingleStore } from './open-store.ts'
export { openStores, openUnrecorded } from './open-stores.ts'
export type { Reloaded } from './reload.ts'
export type { StoreOf, StoresOf } from './store-types.ts'
