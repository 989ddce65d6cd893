export { type FileCapabilities, type FileNative, type FileStore, file } from './file.ts'
export type { FileOptions } from './options.ts'
