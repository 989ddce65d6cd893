import { close, constants, createReadStream, fstat, open, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { isatty, ReadStream } from 'node:tty'
import { promisify } from 'node:util'

/** Opens a pipe at once, whether it has a writer or not. Windows has no such pipes. */
const withoutWaiting: number = constants.O_NONBLOCK ?? 0

/** Flags to read any file without waiting for the writer of a pipe. */
export const readFlags: number = constants.O_RDONLY | withoutWaiting

/** Bytes of a file that are read at a time. */
const pieceBytes = 262_144

/**
 * The bytes of a file from its start. Also those of a pipe, such as `<(…)` of a shell, and of a terminal: waiting for them does
 * not keep the process from ending.
 *
 * @throws the error of the system if the file cannot be opened
 */
export async function readStream(path: string): Promise<Readable> {
  const descriptor = await promisify(open)(path, readFlags)
  try {
    if (isatty(descriptor)) return new ReadStream(descriptor)
    const found: Stats = await promisify(fstat)(descriptor)
    if (found.isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false })
    return createReadStream(path, { fd: descriptor, highWaterMark: pieceBytes })
  } catch (error) {
    await promisify(close)(descriptor)
    throw error
  }
}

/**
 * Refuse a pipe where only a file will do, such as a module.
 *
 * @throws an error with the code `ESPIPE`
 */
export async function checkNotPipe(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFIFO() === true)
    throw Object.assign(new Error(`${path} is a pipe, not a file`), { code: 'ESPIPE' })
}
