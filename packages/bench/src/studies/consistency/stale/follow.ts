import type { Bytes, KeyValue } from '@unikv/core'
import type { LoopClock } from '../../../loop/clock.ts'

const digits = 16

/** The shortest value that holds a number. */
export const leastValueSize: number = digits

/** A value that tells which write it comes from. */
export function valueOf(write: number, size: number): Bytes {
  const value = Buffer.alloc(size, 0x20)
  value.write(String(write).padStart(digits, '0'), 'latin1')
  return value
}

/** The write that a value comes from; 0: there is no value. */
export function writeOf(value: Bytes | undefined): number {
  return value === undefined ? 0 : Number(Buffer.from(value.subarray(0, digits)).toString('latin1'))
}

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
 * Read at every delay, also after a fresh read and while an earlier read is on its way, so that neither the share of stale ones nor the
 * time of slow ones is hidden. While the write is not seen, further reads follow each other between the delays. `told` gets each
 * read with the place of the last delay before it, and further reads with `null`.
 *
 * @throws the reason of the signal
 */
export async function follow(
  { kv }: Reader,
  { key, write, acknowledgedAt }: Written,
  { delaysMs, horizonMs, clock, signal }: Timing,
  told: (seen: Seen, place: number | null, atMs: number) => void,
): Promise<Followed> {
  const sight = new Sight()
  const onTheWay = new Set<Promise<void>>()
  const since = (): number => clock.now() - acknowledgedAt
  const begin = (place: number | null): void => {
    const atMs = since()
    const reading = look(kv, key, write).then((seen) => {
      onTheWay.delete(reading)
      sight.note(seen, atMs, since())
      told(seen, place, atMs)
    })
    onTheWay.add(reading)
  }
  let place = 0
  for (;;) {
    signal.throwIfAborted()
    const plannedMs = delaysMs[place] ?? Infinity
    const furtherMs = onTheWay.size === 0 ? sight.nextLookMs(horizonMs) : Infinity
    const nextMs = Math.min(plannedMs, furtherMs)
    if (nextMs === Infinity && onTheWay.size === 0) return sight.followed()
    const nextAt = acknowledgedAt + nextMs
    if (clock.now() >= nextAt) {
      if (plannedMs > nextMs) begin(null)
      else {
        // Late: one read stands for the delays that have passed, and counts at the last of them.
        while (clock.now() >= acknowledgedAt + (delaysMs[place + 1] ?? Infinity)) place++
        begin(place++)
      }
    } else await Promise.race([clock.wait(Math.min(nextAt, clock.now() + longestWaitMs)), ...onTheWay])
  }
}

/** Never rejects. */
async function look(kv: Reader['kv'], key: string, write: number): Promise<Seen> {
  try {
    return writeOf(await kv.get(key)) >= write ? 'fresh' : 'stale'
  } catch (error) {
    return { error }
  }
}

/** The knowledge of a reader about a write. Reads may end in another order than they began. */
class Sight {
  readonly #freshMs: number[] = []
  #firstFreshEndMs = Infinity
  #lastStaleMs: number | undefined
  #lookedMs = 0
  #isFresh = false

  /** When it looks again without being planned to; `Infinity`: it does not. */
  nextLookMs(horizonMs: number): number {
    if (this.#isFresh) return Infinity
    const nextMs = this.#lookedMs + Math.max(leastStepMs, step * this.#lookedMs)
    return nextMs > horizonMs ? Infinity : nextMs
  }

  note(seen: Seen, atMs: number, endMs: number): void {
    const isNewest = atMs >= this.#lookedMs
    this.#lookedMs = Math.max(this.#lookedMs, atMs)
    if (typeof seen === 'object') return
    if (isNewest) this.#isFresh = seen === 'fresh'
    if (seen === 'fresh') {
      this.#freshMs.push(atMs)
      this.#firstFreshEndMs = Math.min(this.#firstFreshEndMs, endMs)
    } else this.#lastStaleMs = Math.max(this.#lastStaleMs ?? 0, atMs)
  }

  followed(): Followed {
    const saw = this.#freshMs.length > 0
    return { seenMs: this.#seenMs(), saw, wentBack: (this.#lastStaleMs ?? -1) >= this.#firstFreshEndMs }
  }

  /** Between the last read that did not see it and the first one that began later and did. */
  #seenMs(): number | null | undefined {
    const lastStaleMs = this.#lastStaleMs
    if (lastStaleMs === undefined) return this.#freshMs.length === 0 ? undefined : 0
    const later = this.#freshMs.filter((atMs) => atMs > lastStaleMs)
    return later.length === 0 ? null : (lastStaleMs + Math.min(...later)) / 2
  }
}
