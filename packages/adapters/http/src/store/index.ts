export type { HttpCapabilities, HttpOffer } from './capabilities.ts'
export { capabilitiesOf, type HttpNative, type HttpStore, httpStore } from './http-store.ts'
export type { HttpStoreOptions } from './options.ts'
