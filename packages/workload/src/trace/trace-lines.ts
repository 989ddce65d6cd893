import { createReadStream, type ReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { StoreError } from '@unikv/core'

const MOST_CHARACTERS = 1_048_576

/**
 * The lines of a text file in UTF-8, as it is or compressed by gzip, in chunks as they are read.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read, or is not a text
 */
export async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let begun = ''
  let count = 0
  try {
    for await (const chunk of bytesOf(path)) {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
      begun = lines.pop() as string
      if (begun.length > MOST_CHARACTERS) throw new LongLine()
      count += lines.length
      yield lines
    }
    yield [(begun + decoder.decode()).replace(/\r$/, '')]
  } catch (cause) {
    if (cause instanceof LongLine) throw tooLong(path, count, cause)
    const { code } = cause as NodeJS.ErrnoException
    const isOfSystem = code !== undefined && /^E[A-Z]+$/.test(code) && !code.startsWith('ERR_')
    const message = isOfSystem
      ? `The trace ${path} cannot be opened (${code}).`
      : `The trace ${path} cannot be read after line ${count}: it must be a text in UTF-8, or that compressed by gzip.`
    throw new StoreError('INVALID_ARGUMENT', message, { cause })
  }
}

class LongLine extends Error {}

function tooLong(path: string, count: number, cause: Error): StoreError {
  const message = `The trace ${path} cannot be read after line ${count}: the next line is longer than 1 MiB.`
  return new StoreError('INVALID_ARGUMENT', message, { cause })
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const isCompressed = await startsLikeGzip(path)
  const file: ReadStream = createReadStream(path)
  try {
    if (!isCompressed) return yield* file
    const inflated = file.pipe(createGunzip())
    file.once('error', (error) => inflated.destroy(error))
    yield* inflated
  } finally {
    file.destroy()
  }
}

async function startsLikeGzip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await file.close()
  }
}
