import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import type { Bytes } from '@unikv/core'
import { flushFolder, isStoreError, StoreError } from '@unikv/core/adapter'
import { readStream } from '@unikv/core/files'
import { ownerOnly, spooled, unusable } from './streams.ts'

/** Bytes of a file that are read at a time. */
const pieceBytes = 1_048_576

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
 * Open a file for reading. A pipe or a device, which can be read only once, is kept in a temporary file.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read
 */
export async function openedFile(path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
  let stream: Readable
  try {
    if ((await stat(path)).isFile()) return await open(path, 'r')
    stream = await readStream(path)
  } catch (error) {
    throw unusable(`The file ${path} cannot be read`, error)
  }
  return spooled(stream, signal)
}

/** Writes a file under another name, and gives it its own when it is whole and on disk. */
export class NewFile {
  readonly #path: string
  readonly #partial: string
  readonly #overwrite: boolean

  private constructor(path: string, overwrite: boolean) {
    this.#path = path
    this.#partial = `${path}.partial`
    this.#overwrite = overwrite
  }

  /**
   * A file that can be written. A link to a file stands for that file.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` for one that is there, unless it may be overwritten, and for a folder, a pipe or a device
   */
  static async at(path: string, overwrite: boolean): Promise<NewFile> {
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) return new NewFile(path, overwrite)
    if (!found.isFile())
      throw new StoreError(
        'INVALID_ARGUMENT',
        `${path} is ${found.isDirectory() ? 'a folder' : 'a pipe or a device'}, not a file. Give the name of a file, or a stream (on the command line: -).`,
      )
    if (!overwrite) throw isThere(path)
    return new NewFile(await realpath(path), overwrite)
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
      if (!this.#overwrite && (await stat(this.#path).catch(() => undefined)) !== undefined)
        throw isThere(this.#path)
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

async function written(file: FileHandle, piece: Bytes, path: string): Promise<void> {
  try {
    await file.writeFile(piece)
  } catch (error) {
    throw unusable(`${path} cannot be written`, error)
  }
}

function isThere(path: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `${path} is there already. Overwrite it, or choose another name.`)
}
