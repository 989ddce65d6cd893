import { lmdb } from '@unikv/lmdb'
import { flagOf, type Opener, refuseOthers } from './opener.ts'
import { pathOf } from './path-of.ts'

export const openLmdb: Opener = ({ parameters, path, dataset, name }) => {
  refuseOthers('lmdb', parameters, ['dataset', 'readOnly', 'sync'])
  const sync = flagOf(parameters, 'sync')
  const readOnly = flagOf(parameters, 'readOnly')
  return lmdb({ path: pathOf('lmdb', path), dataset, sync, readOnly, name })
}
