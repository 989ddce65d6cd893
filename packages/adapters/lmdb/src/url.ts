import { flagOf, type Opener, pathOf, refuseOthers } from '@unikv/core/url'
import { type LmdbStore, lmdb } from './lmdb.ts'

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface LmdbByScheme {
  readonly lmdb: LmdbStore
}

/** Makes the store of a URL of LMDB. */
export const openLmdb: Opener<LmdbByScheme> = ({ parameters, path, dataset, name }) => {
  refuseOthers('lmdb', parameters, ['dataset', 'readOnly', 'sync'])
  const sync = flagOf(parameters, 'sync')
  const readOnly = flagOf(parameters, 'readOnly')
  return lmdb({ path: pathOf('lmdb', path), dataset, sync, readOnly, name })
}
