export { copy } from './copy.ts'
export type {
  CopyOptions,
  FillOptions,
  FillReport,
  Progress,
  RestoreOptions,
  SnapshotOptions,
  SnapshotReport,
  SourceOptions,
  ToolOptions,
  Verification,
} from './options.ts'
export { refuseOwnFile } from './places/own-files.ts'
export { restore } from './restore.ts'
export { snapshot } from './snapshot.ts'
