export { copy } from './copy.ts'
export type {
  CopyOptions,
  FillOptions,
  FillReport,
  Progress,
  ToolOptions,
  Verification,
} from './options.ts'
