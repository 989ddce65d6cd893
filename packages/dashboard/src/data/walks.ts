import { isStoreError, toStoreError } from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import { Refused } from '@unikv/http/parts'
import type { WalkFrame } from './walk.ts'

/** Walks that may be under way at the same time. */
const mostWalks = 16

/** Walks under way. Each ends with its request. */
export class Walks {
  readonly #ends = new Set<AbortController>()

  /** How many are under way. */
  get count(): number {
    return this.#ends.size
  }

  /** The frames of a walk as server-sent events; an error is the last of them. @throws {Refused} if too many are under way */
  open(walk: (signal: AbortSignal) => AsyncGenerator<WalkFrame>): Response {
    if (this.#ends.size >= mostWalks)
      throw new Refused(503, 'TOO_MANY_REQUESTS', `At most ${mostWalks} walks through stores go at a time.`)
    const end = new AbortController()
    this.#ends.add(end)
    const frames = walk(end.signal)
    const leave = (): void => {
      this.#ends.delete(end)
      end.abort()
      // One that rests holds its place in the store.
      void frames.return(undefined).catch(() => {})
    }
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await frames.next()
          if (done !== true) return controller.enqueue(eventOf(value))
        } catch (error) {
          // The message of an error of another kind may hold anything.
          const { message } = isStoreError(error) ? error : toStoreError(error, { code: 'UNAVAILABLE' })
          controller.enqueue(eventOf({ error: message }))
        }
        leave()
        controller.close()
      },
      cancel: leave,
    })
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    }
    return new Response(body, { headers })
  }

  /** End all. */
  close(): void {
    for (const end of this.#ends) end.abort()
  }
}

function eventOf(frame: unknown): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(frame)}\n\n`)
}
