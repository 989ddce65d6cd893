import { decoded } from '../adapter/adapter-errors.ts'
import { StoreError } from '../contract/errors.ts'

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

/**
 * The path of a URL that is a path, percent-decoded.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a `%` that encodes nothing
 */
export function decodedPath(scheme: string, path: string): string {
  return decoded(path, `The path of a ${scheme} URL`)
}
