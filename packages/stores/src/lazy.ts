// As the index, but no adapter is loaded before a URL of it is opened.
export type { StoreCosts, StoreFacts, StoreVariant } from '@unikv/core/adapter'
export { capabilityRows, shown } from './capability-rows.ts'
export { type Feature, features, featuresHelp } from './features.ts'
export {
  durabilities,
  type FoundStore,
  findStores,
  isolations,
  type StoreQuery,
  storeNamed,
} from './find-stores.ts'
export { factsHelp } from './knowledge/vocabulary.ts'
export { maskArguments, maskUrl } from './mask-url.ts'
export { open } from './open-lazily.ts'
export type { OpenedStore, OpenedWith, OpenOptions } from './opening.ts'
export { isPathUrl, splitUrl } from './store-url.ts'
