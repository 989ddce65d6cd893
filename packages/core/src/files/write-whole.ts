import { randomUUID } from 'node:crypto'
import { constants, open } from 'node:fs'
import { chmod, lstat, open as openFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { pause } from '../platform/timers.ts'

/** How long to wait before a pipe is looked at again. */
const restMs = 50

/**
 * Write a file, in place of what it holds: whole, or not at all. Devices, links, and files of another user are written in
 * place. A pipe waits for its reader, which does not keep the process from ending.
 *
 * @throws the error of the system if it cannot be written
 */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const named = await lstat(path).catch(() => undefined)
  if (named === undefined) return writeNew(path, content)
  const isOwn = named.isFile() && named.nlink === 1 && named.uid === process.getuid?.()
  if (isOwn) return replace(path, content, named.mode & 0o777)
  const found = await stat(path).catch(() => undefined)
  if (found?.isFIFO() !== true) return writeFile(path, content)
  const pipe = new Socket({ fd: await openedPipe(path), readable: false, writable: true })
  pipe.end(content)
  await finished(pipe, { readable: false })
}

/**
 * Write a file that is not there yet, whole or not at all.
 *
 * @throws the error of the system if it cannot be written, also `EEXIST`
 */
export async function writeNew(path: string, content: string | Uint8Array): Promise<void> {
  const file = await openFile(path, 'wx')
  try {
    await file.writeFile(content)
    await file.close()
  } catch (error) {
    await file.close().catch(() => {})
    await rm(path, { force: true }).catch(() => {})
    throw error
  }
}

async function replace(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  // The name of the file may be as long as a name can be.
  const draft = join(dirname(path), `.unikv-${randomUUID()}`)
  try {
    await writeNew(draft, content)
  } catch (error) {
    // The folder may take no files.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return writeFile(path, content)
    throw error
  }
  try {
    await chmod(draft, mode)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

/** Without a reader, opening a pipe for writing fails at once. */
async function openedPipe(path: string): Promise<number> {
  for (;;)
    try {
      return await promisify(open)(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
      await pause(restMs)
    }
}
