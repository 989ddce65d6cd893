import { couchdb } from '@unikv/couchdb'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from './opener.ts'

export const openCouchdb: Opener = (opening) => {
  const { scheme, parameters, dataset, name, environment } = opening
  refuseOthers('couchdb', parameters, ['dataset', 'durability', 'tls'])
  return couchdb({
    url: withCredentials(withParameters(opening, ['tls']), scheme, environment),
    database: dataset,
    prepare: true,
    durability: oneOf(parameters, 'durability', ['replicated', 'flushed', 'buffered', 'memory']),
    name,
  })
}
