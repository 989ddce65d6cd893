export { type HbaseStore, hbase, prepareHbase } from './hbase.ts'
export type { HbaseCapabilities, HbaseDurability } from './hbase-capabilities.ts'
export type { HbaseOptions } from './hbase-options.ts'
export type { HbaseRest, RestMethod, RestOptions, RestResponse } from './rest-client.ts'
