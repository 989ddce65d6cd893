export type { WriteBehindOptions } from './options.ts'
export type { WriteBehindStats } from './stats.ts'
export {
  type FlushOptions,
  type WriteBehindCapabilities,
  type WriteBehindLayer,
  writeBehind,
} from './write-behind.ts'
