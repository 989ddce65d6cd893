export { type DeltaCapabilities, type DeltaLayer, type DeltaNeeds, delta } from './delta.ts'
export { type DiffOptions, diff, type PatchOptions, patch } from './diff/index.ts'
export type { DeltaOptions } from './options.ts'
export type { DeltaStats } from './stats.ts'
