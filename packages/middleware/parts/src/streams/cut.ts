import { StoreError } from '@unikv/core'
import type { ByteSource } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { partHeaderBytes } from '../format.ts'

/**
 * The bytes of a source as records of parts without their header: each has `size` bytes but the last. The source is ended when this
 * one is left early.
 *
 * @throws {StoreError} `INVALID_VALUE` for a source of something else than bytes
 */
export async function* cut(source: ByteSource, size: number): AsyncGenerator<Buffer> {
  let record = Buffer.allocUnsafe(partHeaderBytes + size)
  let filled = partHeaderBytes
  for await (const piece of source as AsyncIterable<unknown>) {
    if (!isBytes(piece))
      throw new StoreError('INVALID_VALUE', 'writeStream() needs a source of Uint8Array. Encode text first.')
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + record.length - filled)
      record.set(taken, filled)
      at += taken.length
      filled += taken.length
      if (filled < record.length) continue
      yield record
      record = Buffer.allocUnsafe(partHeaderBytes + size)
      filled = partHeaderBytes
    }
  }
  if (filled > partHeaderBytes) yield record.subarray(0, filled)
}

/**
 * The same source, which ends with an error as soon as the signal is aborted, also while it has nothing to give.
 *
 * @throws {StoreError} `ABORTED`, and `INVALID_ARGUMENT` for what is not a source
 */
export function until(source: ByteSource, signal: AbortSignal | undefined): ByteSource {
  if (typeof Object(source)[Symbol.asyncIterator] !== 'function')
    throw new StoreError(
      'INVALID_ARGUMENT',
      'writeStream() needs a ReadableStream or an async iterable of Uint8Array as its source.',
    )
  return signal === undefined ? source : stopped(source as AsyncIterable<Uint8Array>, signal)
}

async function* stopped(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]()
  let abort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new StoreError('ABORTED', 'The call was aborted.', { cause: signal.reason }))
  })
  aborted.catch(() => {})
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  let isOver = false
  try {
    for (;;) {
      const piece = await Promise.race([pieces.next(), aborted])
      isOver = piece.done === true
      if (isOver) return
      yield piece.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // A source that gives nothing may not hear of its end either.
    if (!isOver) void Promise.resolve(pieces.return?.()).catch(() => {})
  }
}
