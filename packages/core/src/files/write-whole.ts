import { constants, open } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { pause } from '../platform/timers.ts'

/** How long to wait before a pipe is looked at again. */
const restMs = 50

/**
 * Write a file, in place of what it holds. A pipe waits for its reader, which does not keep the process from ending.
 *
 * @throws the error of the system if it cannot be written
 */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFIFO() !== true) return writeFile(path, content)
  const pipe = new Socket({ fd: await openedPipe(path), readable: false, writable: true })
  pipe.end(content)
  await finished(pipe, { readable: false })
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
