export type { HbaseCapabilities, HbaseDurability } from './capabilities.ts'
export type { HbaseRest, RestMethod, RestOptions, RestResponse } from './client/rest-client.ts'
export { type HbaseStore, hbase, prepareHbase } from './hbase.ts'
export type { HbaseOptions } from './options.ts'
