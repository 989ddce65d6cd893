import { clearInterval, setInterval } from '@unikv/core/platform'
import { Refused } from '@unikv/http/parts'

/** Pages that may listen at the same time. */
const mostListeners = 1_000

/** Bytes that may wait for a listener: one that reads more slowly misses frames, and not the others. */
const mostWaiting = 1_048_576

/** Sends the same frame to all listeners each second, as server-sent events: it is made once, however many there are. */
export class Live {
  readonly #make: () => unknown
  readonly #everyMs: number
  readonly #listeners = new Set<ReadableStreamDefaultController<Uint8Array>>()
  #timer: NodeJS.Timeout | undefined

  constructor(make: () => unknown, everyMs: number) {
    this.#make = make
    this.#everyMs = everyMs
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners.size
  }

  /** A stream of frames, the first one at once. @throws {Refused} if too many listen */
  open(): Response {
    if (this.#listeners.size >= mostListeners)
      throw new Refused(
        503,
        'TOO_MANY_REQUESTS',
        `At most ${mostListeners} pages are told of figures at a time.`,
      )
    let own: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          own = controller
          this.#listeners.add(controller)
          controller.enqueue(this.#frame())
          this.#timer ??= setInterval(() => this.#send(), this.#everyMs)
        },
        cancel: () => {
          if (own !== undefined) this.#leave(own)
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
    )
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    }
    return new Response(body, { headers })
  }

  /** End all streams. */
  close(): void {
    for (const listener of this.#listeners) {
      this.#leave(listener)
      listener.close()
    }
  }

  #send(): void {
    const frame = this.#frame()
    for (const listener of this.#listeners) if ((listener.desiredSize ?? 0) > 0) listener.enqueue(frame)
  }

  #frame(): Uint8Array {
    return Buffer.from(`data: ${JSON.stringify(this.#make())}\n\n`)
  }

  #leave(listener: ReadableStreamDefaultController<Uint8Array>): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
