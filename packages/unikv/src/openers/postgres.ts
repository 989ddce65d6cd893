import { postgres } from '@unikv/postgres'
import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from './opener.ts'

/** What the adapter reads from the URL itself. */
const own = ['sslmode', 'host']

export const openPostgres: Opener = (opening) => {
  const { scheme, parameters, dataset, name, environment } = opening
  refuseOthers('postgres', parameters, ['dataset', 'durability', ...own])
  return postgres({
    url: withCredentials(withParameters(opening, own), scheme, environment),
    table: dataset,
    prepare: true,
    durability: oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory']),
    name,
  })
}
