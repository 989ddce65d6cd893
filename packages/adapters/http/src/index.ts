export type { Access, Right, Token } from './server/access.ts'
export { type HttpServer, http, type ServedStores } from './server/http.ts'
export type { HttpOptions } from './server/options.ts'
export type { AnyKeyValue } from './server/served.ts'
