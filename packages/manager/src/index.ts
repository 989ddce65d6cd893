export {
  type Configuration,
  defineConfig,
  type LayerConfiguration,
  type MonitorConfiguration,
  type PairConfiguration,
  type StoreConfiguration,
} from './configuration.ts'
export type { EnvironmentOptions, OpenStoresOptions } from './configured.ts'
export type { Health, StoreHealth } from './health.ts'
export type { LayerName, NamedLayers } from './layers/layer-types.ts'
export { findConfig, loadConfig } from './load-config.ts'
export { type OpenedHistory, openHistory } from './open-history.ts'
export { openStore, type SingleStore } from './open-store.ts'
export { type Manager, openStores, type ReadyOptions } from './open-stores.ts'
export type { StoreOf, StoresOf } from './store-types.ts'
export type { StoresUsed, StoreUse, StoreUses } from './uses.ts'
export type { Environment } from './variables.ts'
