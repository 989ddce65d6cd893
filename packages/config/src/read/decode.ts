import { readWhole } from '@unikv/core/files'
import { limits } from '../tree/limits.ts'
import { shownFile, wrongFile } from '../tree/wrong.ts'

/**
 * The text of a file, without a byte order mark.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it cannot be read, is too large, or is not UTF-8
 */
export async function textOf(file: string): Promise<string> {
  const bytes = await bytesOf(file)
  if (bytes.length > limits.fileBytes)
    throw wrongFile(shownFile(file), `it has more than ${limits.fileBytes} bytes, the most that are read`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw wrongFile(shownFile(file), 'it is not UTF-8. Save it in that encoding', cause)
  }
}

/** One byte more than may be read, at most. */
async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readWhole(file, limits.fileBytes + 1)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw wrongFile(shownFile(file), 'there is no such file')
    if (code === 'EISDIR') throw wrongFile(shownFile(file), 'it is a folder, not a file')
    throw wrongFile(shownFile(file), `the file cannot be read (${code})`, cause)
  }
}
