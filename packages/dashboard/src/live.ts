import { StoreError } from '@unikv/core'
import { clearInterval, setInterval } from '@unikv/core/platform'
import { Refused } from '@unikv/http/parts'

type Listener = ReadableStreamDefaultController<Uint8Array>

/** Names of the stores that a listener sees; `undefined`: all. */
type Shown = readonly string[] | undefined

/** Pages that may listen at the same time. */
const mostListeners = 1_000

/** Bytes that may wait for a listener: one that reads more slowly misses frames, and not the others. */
const mostWaiting = 1_048_576

/**
 * Sends frames to all listeners each second, as server-sent events: one is made for all who see the same stores, however many
 * there are.
 */
export class Live {
  readonly #make: (stores: Shown) => unknown
  readonly #everyMs: number
  readonly #listeners = new Map<Listener, Shown>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(make: (stores: Shown) => unknown, everyMs: number) {
    this.#make = make
    this.#everyMs = everyMs
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners.size
  }

  /** A stream of frames about these stores, the first one at once. @throws {Refused} if too many listen */
  open(stores: Shown): Response {
    if (this.#isClosed) throw new StoreError('CLOSED', 'The server ends. Ask again when it is back.')
    if (this.#listeners.size >= mostListeners)
      throw new Refused(
        503,
        'TOO_MANY_REQUESTS',
        `At most ${mostListeners} pages are told of figures at a time.`,
      )
    let own: Listener | undefined
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          own = controller
          this.#listeners.set(controller, stores)
          controller.enqueue(this.#frame(stores))
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
      // No layer may pack it: packers keep back what is short.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    }
    return new Response(body, { headers })
  }

  /** End all streams, and open no more: pages come back by themselves. */
  close(): void {
    this.#isClosed = true
    for (const listener of this.#listeners.keys()) {
      this.#leave(listener)
      listener.close()
    }
  }

  #send(): void {
    const frames = new Map<string, Uint8Array>()
    for (const [listener, stores] of this.#listeners) {
      if ((listener.desiredSize ?? 0) <= 0) continue
      const names = JSON.stringify(stores ?? null)
      const frame = frames.get(names) ?? this.#frame(stores)
      frames.set(names, frame)
      listener.enqueue(frame)
    }
  }

  #frame(stores: Shown): Uint8Array {
    return Buffer.from(`data: ${JSON.stringify(this.#make(stores))}\n\n`)
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
