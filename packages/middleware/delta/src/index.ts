export { type DiffOptions, diff, isInPlace, type PatchOptions, patch } from './diff/index.ts'
