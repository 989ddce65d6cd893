export { type DiffOptions, diff, type PatchOptions, patch } from './diff/index.ts'
