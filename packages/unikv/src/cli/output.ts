import type { Writable } from 'node:stream'
import { setImmediate } from '@unikv/core/platform'

/**
 * Write to a stream that may fail, and go on. A closed pipe (`unikv … | head`) is not a failure: begun work is finished
 * and cleaned up. Other failures, such as a full disk, are reported once.
 */
export function outputTo(stream: Writable, onFailure: (code: string) => void): Output {
  let hasFailed = false
  const fail = (error: NodeJS.ErrnoException): void => {
    if (!hasFailed && error.code !== 'EPIPE') onFailure(error.code ?? error.message)
    hasFailed = true
  }
  stream.on('error', fail)
  const write = (text: string): void => {
    if (hasFailed) return
    try {
      stream.write(text)
    } catch (error) {
      fail(error as NodeJS.ErrnoException) // files are written to at once, and throw
    }
  }
  const drained = async (): Promise<boolean> => {
    if (!hasFailed && stream.writableNeedDrain) await roomIn(stream)
    return !hasFailed
  }
  return { write, drained }
}

/** Writes to a stream as long as it has a reader. */
export interface Output {
  readonly write: (text: string) => void
  readonly drained: () => Promise<boolean>
}

function roomIn(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const ready = (): void => {
      for (const event of ['drain', 'error', 'close']) stream.off(event, ready)
      resolve()
    }
    for (const event of ['drain', 'error', 'close']) stream.on(event, ready)
  })
}

/** Wait until everything that was written is out, or can no longer get out. */
export function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve())
    // The failure of a write to a file is told in the next turn.
    setImmediate(() => {
      if (stream.destroyed || stream.writableLength === 0) resolve()
      else stream.write('', () => resolve())
    })
  })
}
