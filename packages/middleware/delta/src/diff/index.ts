export { type DiffOptions, diff } from './diff.ts'
export { isInPlace } from './in-place.ts'
export { type PatchOptions, patch } from './patch.ts'
