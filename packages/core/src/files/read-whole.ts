import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { readFlags, readStream } from './read-stream.ts'

/**
 * All bytes of a file, a pipe or a terminal. Waiting for a pipe does not keep the process from ending.
 *
 * @param most not more bytes than these are read @default no limit
 * @throws the error of the system if it cannot be read
 */
export async function readWhole(path: string, most: number = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of await readStream(path)) {
    pieces.push(piece as Buffer)
    length += (piece as Buffer).length
    if (length >= most) break
  }
  return Buffer.concat(pieces).subarray(0, Math.min(length, most))
}

/** How long `readWholeNow` waits for the next bytes of a pipe, as it can neither be ended nor interrupted. */
const patienceMs = 5_000
const restMs = 10

/**
 * The same without a promise. A pipe must have a writer that writes within 5 seconds.
 *
 * @throws the error of the system if it cannot be read; one with the code `ETIMEDOUT` for a pipe without a writer that writes
 */
export function readWholeNow(path: string): Buffer {
  const descriptor = openSync(path, readFlags)
  try {
    return fstatSync(descriptor).isFIFO() ? pipedNow(descriptor, path) : readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function pipedNow(descriptor: number, path: string): Buffer {
  const pieces: Buffer[] = []
  for (let waitedMs = 0; waitedMs < patienceMs; ) {
    const piece = readNow(descriptor)
    if (piece === undefined) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, restMs)
      waitedMs += restMs
    } else if (piece.length === 0 && pieces.length > 0) return Buffer.concat(pieces)
    else if (piece.length === 0) break
    else {
      pieces.push(piece)
      waitedMs = 0
    }
  }
  throw Object.assign(new Error(`${path} is a pipe without a writer`), { code: 'ETIMEDOUT' })
}

/** Reads the bytes that are there; `undefined` if the writer has written nothing yet, empty at the end. */
function readNow(descriptor: number): Buffer | undefined {
  const piece = Buffer.allocUnsafe(65_536)
  try {
    return piece.subarray(0, readSync(descriptor, piece))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}
