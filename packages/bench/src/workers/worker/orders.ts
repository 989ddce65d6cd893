import { AbortController, pause, performance } from '@unikv/core/platform'
import type { Redis } from 'ioredis'
import type { JobData } from '../queue/job.ts'
import { names } from '../queue/keys.ts'
import { clockOffset } from '../queue/redis.ts'

/** How often a worker asks what the manager wants. */
const askEveryMs = 100

/** The wishes of the manager of a phase: begin at a time, end early. */
export class Orders {
  readonly #redis: Redis
  readonly #keys: readonly [session: string, start: string, stop: string]
  /** Without a word of the queue for so long the manager counts as gone. */
  readonly #silenceMs: number
  readonly #stop = new AbortController()
  readonly #asked = new AbortController()
  #heardAt = performance.now()
  #startAt: number | undefined
  #isOrphaned = false
  #wake: (() => void) | undefined
  #lateMs: number | undefined

  constructor(redis: Redis, { session, phase }: JobData, silenceMs: number) {
    this.#redis = redis
    this.#keys = [names.session(session), names.start(session, phase), names.stop(session, phase)]
    this.#silenceMs = silenceMs
  }

  /** Ends the work early. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Whether the manager is gone. */
  get isOrphaned(): boolean {
    return this.#isOrphaned
  }

  /** Whether the phase has been given a time to begin. */
  get hasStart(): boolean {
    return this.#startAt !== undefined
  }

  /** How long after the given time the work began; `undefined` before. */
  get lateMs(): number | undefined {
    return this.#lateMs
  }

  /** Ask once, then again and again until `close`. */
  async open(): Promise<void> {
    await this.#ask()
    void this.#follow()
  }

  /** Wait for the time that the manager sets. Returns early when the work must end. */
  async begin(ready: () => Promise<void>): Promise<void> {
    const offset = await clockOffset(this.#redis)
    await ready()
    while (this.#startAt === undefined && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#startAt === undefined) return
    const at = this.#startAt - offset
    const restMs = at - performance.now()
    if (restMs > 0) await pause(restMs, { signal: this.signal })
    this.#lateMs = Math.max(0, performance.now() - at)
  }

  /** End the work: its user wants this worker to stop, or the share is no longer its own. */
  end(): void {
    this.#stop.abort()
    this.#wake?.()
  }

  close(): void {
    this.#asked.abort()
  }

  async #follow(): Promise<void> {
    const { signal } = this.#asked
    while (!signal.aborted) {
      await pause(askEveryMs, { signal, ref: false })
      if (!signal.aborted) await this.#ask().catch(() => this.#heardNothing())
    }
  }

  async #ask(): Promise<void> {
    const [session, start, stop] = await this.#redis.mget(...this.#keys)
    this.#heardAt = performance.now()
    if (typeof start === 'string') this.#startAt ??= Number(start)
    if (session === null) this.#orphan()
    if (typeof stop === 'string') this.end()
    if (this.#startAt !== undefined) this.#wake?.()
  }

  #heardNothing(): void {
    if (performance.now() - this.#heardAt > this.#silenceMs) this.#orphan()
  }

  #orphan(): void {
    this.#isOrphaned = true
    this.end()
  }
}
