import { cassandra } from '@unikv/cassandra'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from './opener.ts'

/** What the adapter reads from the URL itself. */
const own = ['datacenter', 'consistency', 'conditions', 'tls']

export const openCassandra: Opener = (opening) => {
  const { scheme, parameters, dataset, name, environment } = opening
  refuseOthers('cassandra', parameters, ['dataset', 'durability', ...own])
  return cassandra({
    url: withCredentials(withParameters(opening, own), scheme, environment),
    table: dataset,
    prepare: true,
    durability: oneOf(parameters, 'durability', ['replicated', 'buffered']),
    name,
  })
}
