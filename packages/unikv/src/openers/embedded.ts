import { StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { decodedPath } from '../store-url.ts'
import { flagOf, type Opener, oneOf, refuseOthers } from './opener.ts'

export const openMemory: Opener = ({ parameters, path, name }) => {
  refuseOthers('memory', parameters, ['dataset'])
  if (path !== '') throw new StoreError('INVALID_CONFIG', 'memory: takes no path: it is this process.')
  return memory({ name })
}

export const openFile: Opener = ({ parameters, path, dataset, name }) => {
  refuseOthers('file', parameters, ['dataset', 'durability'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered'])
  return file({ directory: pathOf('file', path), dataset, durability, name })
}

export const openLmdb: Opener = ({ parameters, path, dataset, name }) => {
  refuseOthers('lmdb', parameters, ['dataset', 'readOnly', 'sync'])
  const sync = flagOf(parameters, 'sync')
  const readOnly = flagOf(parameters, 'readOnly')
  return lmdb({ path: pathOf('lmdb', path), dataset, sync, readOnly, name })
}

/** `./d`, `/d` and `//host-less/absolute` as `file:///d` has it. */
export function pathOf(scheme: string, path: string): string {
  const plain = decodedPath(scheme, path)
  const directory = plain.startsWith('///') ? plain.slice(2) : plain
  if (directory === '' || directory.startsWith('//')) {
    throw new StoreError(
      'INVALID_CONFIG',
      `${scheme}: takes a path, such as ${scheme}:./data or ${scheme}:///var/data.`,
    )
  }
  return directory
}
