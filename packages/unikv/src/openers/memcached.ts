import { memcached } from '@unikv/memcached'
import { type Opener, refuseOthers, withCredentials } from './opener.ts'

export const openMemcached: Opener = ({ rest, scheme, parameters, dataset, name, environment }) => {
  refuseOthers('memcached', parameters, ['dataset'])
  return memcached({ url: withCredentials(rest, scheme, environment), dataset, name })
}
