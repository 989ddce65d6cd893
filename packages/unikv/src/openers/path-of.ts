import { StoreError } from '@unikv/core'
import { decodedPath } from '../store-url.ts'

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
