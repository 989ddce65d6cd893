import { randomUUID } from 'node:crypto'
import { access, type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Bytes, isStoreError, StoreError } from '@unikv/core'
import { flushFolder } from '@unikv/core/adapter'

/** Bytes of a file that are read at a time. */
const pieceBytes = 1_048_576
/** Only its owner may read a snapshot. */
const ownerOnly = 0o600

/**
 * The bytes of a file from its start.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read
 */
export async function* bytesOfFile(file: FileHandle): AsyncGenerator<Bytes> {
  for (let at = 0; ; ) {
    const piece = Buffer.allocUnsafe(pieceBytes)
    const length = await readAt(file, piece, at)
    if (length === 0) return
    at += length
    yield piece.subarray(0, length)
  }
}

/**
 * Fill a buffer from a place in a file, as far as there is something. Returns how far.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read
 */
export async function readAt(file: FileHandle, target: Buffer, at: number): Promise<number> {
  try {
    return (await file.read(target, 0, target.length, at)).bytesRead
  } catch (error) {
    throw unusable('The file cannot be read', error)
  }
}

/**
 * Open a file for reading.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read
 */
export async function openedFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (error) {
    throw unusable(`The file ${path} cannot be read`, error)
  }
}

/** Keep what comes from a stream in a file that has no name: it is gone with this process. */
export async function spooled(source: Readable): Promise<FileHandle> {
  const path = join(tmpdir(), `unikv-${randomUUID()}`)
  const file = await open(path, 'wx+', ownerOnly)
  try {
    // Not every system lets go of the name of an open file.
    await rm(path).catch(() => {})
    for await (const piece of source) await file.writeFile(piece as Buffer)
    return file
  } catch (error) {
    await file.close()
    throw unusable('The input cannot be read', error)
  }
}

/** Writes a file under another name, and gives it its own when it is whole and on disk. */
export class NewFile {
  readonly #path: string
  readonly #partial: string

  constructor(path: string) {
    this.#path = path
    this.#partial = `${path}.partial`
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` if there is such a file */
  async refuseOld(): Promise<void> {
    const isThere = await access(this.#path).then(
      () => true,
      () => false,
    )
    if (isThere)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `${this.#path} is there already. Overwrite it, or choose another name.`,
      )
  }

  /** Write all bytes, look at them again, and name the file. Returns its length. */
  async write(bytes: AsyncIterable<Bytes>, check: (file: FileHandle) => Promise<void>): Promise<number> {
    const file = await this.#open()
    try {
      let length = 0
      for await (const piece of bytes) {
        await written(file, piece, this.#partial)
        length += piece.length
      }
      await file.sync()
      await check(file)
      if (!(await this.#isOwn(file)))
        throw new StoreError('INVALID_ARGUMENT', `Another program writes ${this.#path} at the same time.`)
      await rename(this.#partial, this.#path)
      flushFolder(dirname(this.#path))
      return length
    } catch (error) {
      if (await this.#isOwn(file)) await rm(this.#partial, { force: true }).catch(() => {})
      throw isStoreError(error) ? error : unusable(`${this.#path} cannot be written`, error)
    } finally {
      await file.close()
    }
  }

  /** Whether the partial name still is that of this file, and not of another that was begun since. */
  async #isOwn(file: FileHandle): Promise<boolean> {
    const [own, named] = await Promise.all([file.stat(), stat(this.#partial).catch(() => undefined)])
    return own.ino === named?.ino && own.dev === named.dev
  }

  /** A file of its own: one that a killed process has left, or that another one writes, loses the name. */
  async #open(): Promise<FileHandle> {
    try {
      await rm(this.#partial, { force: true })
      return await open(this.#partial, 'wx+', ownerOnly)
    } catch (error) {
      throw unusable(`${this.#partial} cannot be written`, error)
    }
  }
}

/** Write all bytes to a stream, which stays open. Returns their number. */
export async function writeTo(stream: Writable, bytes: AsyncIterable<Bytes>): Promise<number> {
  let length = 0
  const counted = async function* (): AsyncGenerator<Bytes> {
    for await (const piece of bytes) {
      length += piece.length
      yield piece
    }
  }
  try {
    await pipeline(counted, stream, { end: false })
  } catch (error) {
    throw isStoreError(error) ? error : unusable('The output cannot be written', error)
  }
  return length
}

async function written(file: FileHandle, piece: Bytes, path: string): Promise<void> {
  try {
    await file.writeFile(piece)
  } catch (error) {
    throw unusable(`${path} cannot be written`, error)
  }
}

function unusable(what: string, error: unknown): StoreError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  const kind = code === 'ENOSPC' ? 'STORE_FULL' : 'INVALID_ARGUMENT'
  return new StoreError(kind, `${what} (${code}).`, { cause: error })
}
