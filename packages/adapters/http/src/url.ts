import { type Opener, refuseOthers, withCredentials } from '@unikv/core/url'
import { type HttpStore, httpStore } from './store/http-store.ts'

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface HttpByScheme {
  readonly http: HttpStore<Record<never, never>>
  readonly https: HttpStore<Record<never, never>>
}

/** Makes the store of a URL of a server of unikv. */
export const openHttp: Opener<HttpByScheme> = ({ scheme, rest, parameters, dataset, name, environment }) => {
  refuseOthers(scheme, parameters, ['dataset'])
  const address = dataset === undefined ? rest : `${rest.replace(/\/$/, '')}/${dataset}`
  return httpStore({ url: withCredentials(address, scheme, environment), name })
}
