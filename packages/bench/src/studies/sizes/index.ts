export { type SizesConfig } from './config.ts'
export type { SizesResult } from './result.ts'
export { sizes } from './sizes.ts'
