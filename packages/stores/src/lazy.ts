export { maskArguments, maskUrl } from './mask-url.ts'
export { open } from './open-lazily.ts'
export type { OpenedStore, OpenedWith, OpenOptions } from './opening.ts'
export { isPathUrl, splitUrl } from './store-url.ts'
