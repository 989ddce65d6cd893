import { type Opener, oneOf, refuseOthers, withCredentials } from '@unikv/core/url'
import { type HbaseStore, hbase } from './hbase.ts'
import type { HbaseOptions } from './options.ts'

/** Where a gateway listens that was not told otherwise. */
const defaultPort = 8_080

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface HbaseByScheme {
  readonly hbase: HbaseStore<HbaseOptions>
  readonly hbases: HbaseStore<HbaseOptions>
}

/** Makes the store of a URL of HBase. */
export const openHbase: Opener<HbaseByScheme> = ({
  rest,
  scheme,
  parameters,
  dataset,
  name,
  environment,
  prepare,
}) => {
  refuseOthers(scheme, parameters, ['dataset', 'durability'])
  const [, info = '', host = '', table] =
    /^[a-z]+:\/\/(.*@)?([^@/]*)(?:\/([^/]*)\/?)?$/is.exec(withCredentials(rest, scheme, environment)) ?? []
  const port = /:\d+$/.test(host) ? '' : `:${defaultPort}`
  return hbase({
    url: `${scheme === 'hbases' ? 'https' : 'http'}://${info}${host === '' ? '' : host + port}`,
    table: table === '' ? undefined : table,
    dataset,
    prepare,
    durability: oneOf(parameters, 'durability', ['buffered', 'replicated']),
    name,
  })
}
