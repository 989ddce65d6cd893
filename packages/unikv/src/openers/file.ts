import { file } from '@unikv/file'
import { type Opener, oneOf, refuseOthers } from './opener.ts'
import { pathOf } from './path-of.ts'

export const openFile: Opener = ({ parameters, path, dataset, name }) => {
  refuseOthers('file', parameters, ['dataset', 'durability'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered'])
  return file({ directory: pathOf('file', path), dataset, durability, name })
}
