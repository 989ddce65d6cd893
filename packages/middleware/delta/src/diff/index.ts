export { type DiffOptions, diff } from './diff.ts'
export { type PatchOptions, patch } from './patch.ts'
