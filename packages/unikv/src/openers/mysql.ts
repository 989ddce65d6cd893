import { mysql } from '@unikv/mysql'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from './opener.ts'

/** What the adapter reads from the URL itself. */
const own = ['tls', 'socket', 'driver']

export const openMysql: Opener = (opening) => {
  const { scheme, parameters, dataset, name, environment } = opening
  refuseOthers('mysql', parameters, ['dataset', 'durability', ...own])
  return mysql({
    url: withCredentials(withParameters(opening, own), scheme, environment),
    table: dataset,
    prepare: true,
    durability: oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory']),
    name,
  })
}
