export type { FileCapabilities } from './capabilities.ts'
export { type FileNative, type FileStore, file } from './file.ts'
export type { FileOptions } from './options.ts'
