import { type Opener, oneOf, pathOf, refuseOthers } from '@unikv/core/url'
import { type FileStore, file } from './file.ts'

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface FileByScheme {
  readonly file: FileStore
}

/** Makes the store of a URL of the file store. */
export const openFile: Opener<FileByScheme> = ({ parameters, path, dataset, name }) => {
  refuseOthers('file', parameters, ['dataset', 'durability'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered'])
  return file({ directory: pathOf('file', path), dataset, durability, name })
}
