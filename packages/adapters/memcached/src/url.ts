import { type Opener, refuseOthers, withCredentials } from '@unikv/core/url'
import { type MemcachedStore, memcached } from './memcached.ts'

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface MemcachedByScheme {
  readonly memcached: MemcachedStore
}

/** Makes the store of a URL of memcached. */
export const openMemcached: Opener<MemcachedByScheme> = ({
  rest,
  scheme,
  parameters,
  dataset,
  name,
  environment,
}) => {
  refuseOthers('memcached', parameters, ['dataset'])
  return memcached({ url: withCredentials(rest, scheme, environment), dataset, name })
}
