import { clearTimeout, performance, setTimeout } from '@unikv/core/platform'
import { Refused } from '../refused.ts'

/** So many bytes may take the time of the limit. */
const limitedBytes = 1_048_576

/**
 * A body that arrives, whose caller is given up if a MiB of it takes longer than this, in milliseconds. Time in which the store wants no bytes
 * does not count.
 *
 * @throws {Refused} for a body that stalls, or that is longer than `maxBytes`
 */
export async function* arriving(
  body: ReadableStream<Uint8Array>,
  limits: { readonly stallTimeoutMs: number; readonly maxStreamBytes: number },
): AsyncGenerator<Uint8Array> {
  const { stallTimeoutMs, maxStreamBytes } = limits
  const reader = body.getReader()
  let [length, since, waitedMs] = [0, 0, 0]
  try {
    for (;;) {
      const beganAt = performance.now()
      const { done, value } = await within(reader.read(), stallTimeoutMs - waitedMs)
      if (done) return
      length += value.length
      if (length > maxStreamBytes) throw tooLong(maxStreamBytes)
      since += value.length
      waitedMs = since < limitedBytes ? waitedMs + performance.now() - beganAt : 0
      since %= limitedBytes
      yield value
    }
  } finally {
    // A body that stalls may not hear of its end either.
    void reader.cancel().catch(() => {})
  }
}

async function within<T>(work: Promise<T>, leftMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stalled()), Math.max(1, leftMs))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A body that is sent, and ended with an error if its receiver takes longer than this for a piece of it, in milliseconds. */
export function leaving(
  body: ReadableStream<Uint8Array>,
  stallTimeoutMs: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer)
        const { done, value } = await reader.read()
        if (done) return controller.close()
        controller.enqueue(value)
        timer = setTimeout(() => {
          controller.error(stalled())
          void reader.cancel().catch(() => {})
        }, stallTimeoutMs)
      },
      cancel: (reason) => {
        clearTimeout(timer)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** The refusal of a body that is streamed. */
export function tooLong(maxStreamBytes: number): Refused {
  return new Refused(413, 'BAD_REQUEST', `The body is longer than ${maxStreamBytes} bytes.`)
}

function stalled(): Refused {
  return new Refused(408, 'BAD_REQUEST', 'The body stood still for too long.')
}
