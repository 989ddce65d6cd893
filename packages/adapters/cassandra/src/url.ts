import type { Bytes, Capabilities, Store } from '@unikv/core'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from '@unikv/core/url'
import { cassandra } from './cassandra.ts'

/** The parts of the URL that the adapter itself reads. */
const own = ['datacenter', 'consistency', 'conditions', 'nodes', 'tls']

// As the adapter declares them, and repeated here: its own types need those of the driver, which may not be installed;
// `open.test.ts` of @unikv/stores compares.

/** Capabilities of `open('cassandra://…')`; `conditionalWrite` and `touch` with `conditions=true` alone. */
export interface CassandraUrlCapabilities extends Capabilities {
  readonly scan: { readonly order: 'none'; readonly delivery: 'once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: boolean
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'native'; readonly precisionMs: 1 }
  readonly touch: boolean
  readonly increment: false
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface CassandraByScheme {
  readonly cassandra: Store<Bytes, CassandraUrlCapabilities>
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
