import type { Bytes, Store } from '@unikv/core'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from '@unikv/core/url'
import type { CassandraCapabilities } from './capabilities.ts'
import { cassandra } from './cassandra.ts'

/** The parts of the URL that the adapter itself reads. */
const own = ['datacenter', 'consistency', 'conditions', 'nodes', 'tls']

// Not the store's own type: that needs those of the driver, which may not be installed.

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface CassandraByScheme {
  readonly cassandra: Store<Bytes, CassandraCapabilities>
}

/** Makes the store of a URL of Cassandra. */
export const openCassandra: Opener<CassandraByScheme> = (opening) => {
  const { scheme, parameters, dataset, name, environment, prepare } = opening
  refuseOthers('cassandra', parameters, ['dataset', 'durability', ...own])
  return cassandra({
    url: withCredentials(withParameters(opening, own), scheme, environment),
    table: dataset,
    prepare,
    durability: oneOf(parameters, 'durability', ['replicated', 'buffered']),
    name,
  })
}
