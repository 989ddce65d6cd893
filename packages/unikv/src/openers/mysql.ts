import { mysql } from '@unikv/mysql'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from './opener.ts'

export const openMysql: Opener = (opening) => {
  const { scheme, parameters, dataset, name, environment } = opening
  refuseOthers('mysql', parameters, ['dataset', 'durability', 'tls', 'socket'])
  return mysql({
    url: withCredentials(withParameters(opening, ['tls', 'socket']), scheme, environment),
    table: dataset,
    prepare: true,
    durability: oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory']),
    name,
  })
}
