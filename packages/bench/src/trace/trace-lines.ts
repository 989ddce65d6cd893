import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { StoreError } from '@unikv/core'
import { readStream } from '@unikv/core/files'

const MOST_CHARACTERS = 1_048_576

/** The name that stands for standard input. */
const standardInput = '-'

/**
 * The lines of a text file in UTF-8, a pipe, or standard input (`-`), as it is or compressed by gzip, in chunks as they are read.
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

/** The bytes of the file, inflated if they begin as gzip does. They are read once, as those of a pipe are gone then. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = path === standardInput ? process.stdin : await readStream(path)
  try {
    const pieces: AsyncIterator<Buffer> = file[Symbol.asyncIterator]()
    const head = await headOf(pieces)
    const whole = chained(head, pieces)
    if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* whole
    yield* pipeline(whole, createGunzip(), () => {}) as AsyncIterable<Buffer>
  } finally {
    file.destroy()
  }
}

/** Two bytes or more, if there are so many. */
async function headOf(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    const { done, value } = await pieces.next()
    if (done === true) return head
    head = Buffer.concat([head, value])
  }
  return head
}

async function* chained(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
}
