import { hbase } from '@unikv/hbase'
import { type Opener, oneOf, refuseOthers, withCredentials } from './opener.ts'

/** Where a gateway listens that was not told otherwise. */
const defaultPort = 8_080

export const openHbase: Opener = ({ rest, scheme, parameters, dataset, name, environment }) => {
  refuseOthers(scheme, parameters, ['dataset', 'durability'])
  const [, info = '', host = '', table] =
    /^[a-z]+:\/\/(.*@)?([^@/]*)(?:\/([^/]*)\/?)?$/is.exec(withCredentials(rest, scheme, environment)) ?? []
  const port = /:\d+$/.test(host) ? '' : `:${defaultPort}`
  return hbase({
    url: `${scheme === 'hbases' ? 'https' : 'http'}://${info}${host === '' ? '' : host + port}`,
    table: table === '' ? undefined : table,
    dataset,
    prepare: true,
    durability: oneOf(parameters, 'durability', ['buffered', 'replicated']),
    name,
  })
}
