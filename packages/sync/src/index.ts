export { type RemoteSyncKeyValue, type SyncFromOptions, syncFrom } from './sync-from.ts'
export { type ThreadedCapabilities, type ThreadsOptions, threads } from './threads.ts'
