import { StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type Opener, refuseOthers } from './opener.ts'

export const openMemory: Opener = ({ parameters, path, name }) => {
  refuseOthers('memory', parameters, ['dataset'])
  if (path !== '') throw new StoreError('INVALID_CONFIG', 'memory: takes no path: it is this process.')
  return memory({ name })
}
