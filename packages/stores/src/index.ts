export type { StoreCosts, StoreFacts, StoreVariant } from '@unikv/core/adapter'
export { capabilityRows, shown } from './capability-rows.ts'
export { stores } from './facts.ts'
export { type Feature, features, featuresHelp } from './features.ts'
export {
  durabilities,
  type FoundStore,
  findStores,
  isolations,
  type StoreQuery,
  storeNamed,
} from './find-stores.ts'
export { maskUrl } from './mask-url.ts'
export { open } from './open.ts'
export type { OpenedStore, OpenedWith, OpenOptions } from './opening.ts'
