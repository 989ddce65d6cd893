import type { Bytes, KeyValue } from '@unikv/core'
import type { LoopClock } from '@unikv/workload/loop'
import { writeOf } from './version-value.ts'

/** A place where a write should become visible. */
export interface Reader {
  readonly name: string
  readonly kv: Pick<KeyValue<string, Bytes>, 'get'>
}

/** A write that was acknowledged. */
export interface Written {
  readonly key: string
  /** Its number; values of later writes of the key have greater ones. */
  readonly write: number
  readonly acknowledgedAt: number
}

/** When readers read. */
export interface Timing {
  readonly delaysMs: readonly number[]
  readonly horizonMs: number
  readonly clock: LoopClock
  readonly signal: AbortSignal
}

/** How one read ended. */
export type Seen = 'fresh' | 'stale' | { readonly error: unknown }

/** How one reader saw one write. */
export interface Followed {
  /** When it saw the write for good: 0 if no read was stale; `null`: not within the horizon; `undefined`: no read told. */
  readonly seenMs: number | null | undefined
  readonly saw: boolean
  readonly wentBack: boolean
}

/** While a write is not seen, reads follow each other in steps of this share of the time since, so that its end is known as well. */
const step = 0.03
const leastStepMs = 1
/** A wait ends soon after an abort. */
const longestWaitMs = 100

/**
 * Read at every delay, also after a fresh read, so that the share of stale ones is not biased; and between them as long as
 * the write is not seen. `told` gets each read at a delay with its place, and others with `null`.
 *
 * @throws the reason of the signal
 */
export async function follow(
  { kv }: Reader,
  { key, write, acknowledgedAt }: Written,
  timing: Timing,
  told: (seen: Seen, place: number | null, atMs: number) => void,
): Promise<Followed> {
  const { delaysMs, horizonMs, clock } = timing
  const state = new Sight()
  let place = 0
  for (;;) {
    const plannedMs = delaysMs[place] ?? Infinity
    const nextMs = Math.min(plannedMs, state.nextLookMs(horizonMs))
    if (nextMs === Infinity) return state.followed()
    await waitUntil(acknowledgedAt + nextMs, timing)
    const atMs = clock.now() - acknowledgedAt
    const isPlanned = atMs >= plannedMs
    const seen = await look(kv, key, write)
    state.note(seen, atMs)
    told(seen, isPlanned ? place : null, atMs)
    if (!isPlanned) continue
    const sinceMs = clock.now() - acknowledgedAt
    place++
    // A slow read took the time of the next ones: only the last of them is made up for.
    while ((delaysMs[place + 1] ?? Infinity) <= sinceMs) place++
  }
}

async function look(kv: Reader['kv'], key: string, write: number): Promise<Seen> {
  try {
    return writeOf(await kv.get(key)) >= write ? 'fresh' : 'stale'
  } catch (error) {
    return { error }
  }
}

async function waitUntil(until: number, { clock, signal }: Timing): Promise<void> {
  signal.throwIfAborted()
  while (clock.now() < until) {
    await clock.wait(Math.min(until, clock.now() + longestWaitMs))
    signal.throwIfAborted()
  }
}

/** The knowledge of a reader about a write. */
class Sight {
  #isFresh = false
  #saw = false
  #wentBack = false
  #isTold = false
  #lookedMs = 0
  #lastStaleMs: number | undefined
  #freshSinceMs = 0

  /** When it looks again without being planned to; `Infinity`: it does not. */
  nextLookMs(horizonMs: number): number {
    if (this.#isFresh) return Infinity
    const nextMs = this.#lookedMs + Math.max(leastStepMs, step * this.#lookedMs)
    return nextMs > horizonMs ? Infinity : nextMs
  }

  note(seen: Seen, atMs: number): void {
    this.#lookedMs = atMs
    if (typeof seen === 'object') return
    this.#isTold = true
    if (seen === 'stale') {
      this.#wentBack ||= this.#isFresh
      this.#isFresh = false
      this.#lastStaleMs = atMs
    } else if (!this.#isFresh) {
      this.#isFresh = true
      this.#saw = true
      this.#freshSinceMs = atMs
    }
  }

  followed(): Followed {
    return { seenMs: this.#seenMs(), saw: this.#saw, wentBack: this.#wentBack }
  }

  /** Between the last read that did not see it and the first after that. */
  #seenMs(): number | null | undefined {
    if (!this.#isTold) return undefined
    if (!this.#isFresh) return null
    return this.#lastStaleMs === undefined ? 0 : (this.#lastStaleMs + this.#freshSinceMs) / 2
  }
}
