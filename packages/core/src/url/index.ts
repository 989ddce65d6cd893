// Parts for the `url.ts` of an adapter: how `open` turns a URL into a store.
export { withCredentials } from './credentials.ts'
export {
  type ForeignParameters,
  ifTrue,
  instead,
  type Meaning,
  nothing,
  sameAs,
  translated,
} from './foreign-parameters.ts'
export type { Opener, Opening, StoreUrl } from './opener.ts'
export { countOf, flagOf, oneOf, refuseOthers, withParameters } from './parameters.ts'
export { decodedPath, pathOf } from './path-of.ts'
export { type AwsUrl, awsUrl, oneName } from './place-url.ts'
export { unquotedHint } from './unquoted-url.ts'
