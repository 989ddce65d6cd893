import { type Opener, oneOf, refuseOthers, withCredentials, withParameters } from '@unikv/core/url'
import { type CouchdbStore, couchdb } from './couchdb.ts'
import type { CouchdbDurability } from './options.ts'

/** The options that a URL can set. */
export interface CouchdbUrlOptions {
  readonly url: string
  readonly durability: CouchdbDurability | undefined
}

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface CouchdbByScheme {
  readonly couchdb: CouchdbStore<CouchdbUrlOptions>
  readonly couchdbs: CouchdbStore<CouchdbUrlOptions>
}

/** Makes the store of a URL of CouchDB. */
export const openCouchdb: Opener<CouchdbByScheme> = (opening) => {
  const { scheme, parameters, dataset, name, environment, prepare } = opening
  refuseOthers('couchdb', parameters, ['dataset', 'durability', 'tls'])
  return couchdb({
    url: withCredentials(withParameters(opening, ['tls']), scheme, environment),
    database: dataset,
    prepare,
    durability: oneOf(parameters, 'durability', ['replicated', 'flushed', 'buffered', 'memory']),
    name,
  })
}
