import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Bytes, ErrorCode } from '@unikv/core'
import { isStoreError, StoreError } from '@unikv/core/adapter'
import { refuseAborted } from './ways.ts'

/** Only its owner may read a snapshot. */
export const ownerOnly = 0o600

/**
 * Keep what comes from a stream in a file that has no name: it is gone with this process.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read; `STORE_FULL` for a full disk; `ABORTED`
 */
export async function spooled(source: Readable, signal: AbortSignal | undefined): Promise<FileHandle> {
  // Its error may come before anybody reads it.
  source.on('error', ignored)
  let file: FileHandle | undefined
  try {
    const opened = await temporaryFile()
    file = opened
    await pipeline(source, (pieces) => kept(pieces, opened), { signal })
    return file
  } catch (error) {
    await file?.close()
    refuseAborted(signal)
    throw isStoreError(error) ? error : unusable('The input cannot be read', error)
  }
}

async function temporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `unikv-${randomUUID()}`)
  try {
    const file = await open(path, 'wx+', ownerOnly)
    // Not every system lets go of the name of an open file.
    await rm(path).catch(() => {})
    return file
  } catch (error) {
    throw notKept(error)
  }
}

async function kept(pieces: AsyncIterable<unknown>, file: FileHandle): Promise<void> {
  for await (const piece of pieces) {
    if (!ArrayBuffer.isView(piece))
      throw new StoreError('INVALID_ARGUMENT', 'The input must be a stream of bytes, without an encoding.')
    try {
      await file.writeFile(piece as Bytes)
    } catch (error) {
      throw notKept(error)
    }
  }
}

function notKept(error: unknown): StoreError {
  return unusable(`The input cannot be kept in the folder ${tmpdir()}`, error)
}

/**
 * Write all bytes to a stream, which stays open. Returns their number.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be written; `UNAVAILABLE` if its reader has gone; `ABORTED`
 */
export async function writeTo(
  stream: Writable,
  bytes: AsyncIterable<Bytes>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let length = 0
  // It is told to the callback of a write, too.
  stream.on('error', ignored)
  for await (const piece of bytes) {
    await written(stream, piece, signal)
    length += piece.length
  }
  stream.off('error', ignored)
  return length
}

/** Wait until the stream has taken a piece, or the caller waits no more. */
function written(stream: Writable, piece: Bytes, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new StoreError('ABORTED', 'Stopped.', { cause: signal?.reason }))
    signal?.addEventListener('abort', stop, { once: true })
    stream.write(piece, (error) => {
      signal?.removeEventListener('abort', stop)
      if (error) reject(unusable('The output cannot be written', error))
      else resolve()
    })
  })
}

function ignored(): void {}

/** Failures that are not a wrong argument, by the code of the system. */
const kinds: ReadonlyMap<string, ErrorCode> = new Map([
  ['ENOSPC', 'STORE_FULL'],
  ['EDQUOT', 'STORE_FULL'],
  ['EPIPE', 'UNAVAILABLE'],
  ['ECONNRESET', 'UNAVAILABLE'],
  ['EIO', 'UNAVAILABLE'],
])

/** The error for a file or a stream that cannot be used. */
export function unusable(what: string, error: unknown): StoreError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  return new StoreError(kinds.get(code) ?? 'INVALID_ARGUMENT', `${what} (${code}).`, { cause: error })
}
