import { open } from 'node:fs/promises'
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
    const handle = await open(file)
    try {
      const buffer = new Uint8Array(limits.fileBytes + 1)
      let length = 0
      for (;;) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
        length += bytesRead
        if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length)
      }
    } finally {
      await handle.close()
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw wrongFile(shownFile(file), 'there is no such file')
    if (code === 'EISDIR') throw wrongFile(shownFile(file), 'it is a folder, not a file')
    throw wrongFile(shownFile(file), `the file cannot be read (${code})`, cause)
  }
}
