import { Kept, type Weight } from './kept.ts'
import type { Freshness } from './loading.ts'
import type { ObjectCacheSettings } from './object-cache-options.ts'
import { freshEnd, RefreshAhead } from './refresh-ahead.ts'

const leastLoadMs = 0.001

/** When a load was made, and for how long what it brought is fresh. */
export interface Times {
  /** Monotonic. */
  readonly askedAt: number
  readonly freshForMs: number
  readonly absentForMs: number
  /** Whether it was asked of what lies below, so that its time is that of a load. */
  readonly isLoad: boolean
  /** Of the bus in which it was begun, if there is one. */
  readonly epoch: number | undefined
}

/** What is to be kept of a key. */
export interface Makings {
  readonly key: string
  readonly entry: Kept['entry']
  readonly copy: Kept['copy']
  readonly weight: Weight
}

/** What is kept where entries are renewed ahead. */
class MeasuredKept extends Kept {
  /** What its load took, in milliseconds; 0: not known. */
  loadMs = 0
}

/** Makes what a cache keeps: until when it is fresh, and when it is to be renewed. */
export class KeptMaker {
  readonly #settings: ObjectCacheSettings
  readonly #ahead: RefreshAhead | undefined

  constructor(settings: ObjectCacheSettings) {
    const { beta, random, background } = settings
    this.#settings = settings
    // Where nobody takes the work, it is left to the reader who comes at the end.
    if (beta > 0 && background !== undefined) this.#ahead = new RefreshAhead(beta, random)
  }

  /** Times of a load that begins now, with those of its own before those of the cache. */
  times(own: Freshness | undefined, epoch: number | undefined, isLoad = false): Times {
    const askedAt = this.#settings.monotonicClock()
    const freshForMs = own?.freshForMs ?? this.#settings.freshForMs
    const absentForMs = own?.absentForMs ?? this.#settings.absentForMs
    return { askedAt, freshForMs, absentForMs, isLoad, epoch }
  }

  /** The times of a load that said some of its own meanwhile. */
  own(times: Times, own: Freshness | undefined): Times {
    if (own === undefined) return times
    const { freshForMs = times.freshForMs, absentForMs = times.absentForMs } = own
    return { ...times, freshForMs, absentForMs }
  }

  /** What an entry is worth to the policy. */
  cost(bytes: number, { askedAt }: Times): number {
    const { cost, monotonicClock } = this.#settings
    if (cost === 'same') return 1
    // A clock may stand still for as long as a load takes.
    return cost === 'bytes' ? bytes : Math.max(leastLoadMs, monotonicClock() - askedAt)
  }

  make({ key, entry, copy, weight }: Makings, { askedAt, isLoad, epoch, ...times }: Times): Kept {
    const forMs = entry === undefined ? times.absentForMs : times.freshForMs
    const freshUntil = freshEnd(askedAt, forMs, this.#settings)
    const life = { freshUntil, epoch }
    if (this.#ahead === undefined) return new Kept(key, entry, copy, weight, life)
    const made = new MeasuredKept(key, entry, copy, weight, life)
    if (isLoad) made.loadMs = this.#settings.monotonicClock() - askedAt
    this.#ahead.measured(made.loadMs)
    return made
  }

  /** Whether a fresh entry is to be renewed, as chance says. */
  isDue(kept: Kept): boolean {
    if (this.#ahead === undefined) return false
    const loadMs = kept instanceof MeasuredKept ? kept.loadMs : 0
    return this.#ahead.isDue(this.#settings.monotonicClock(), kept.freshUntil, loadMs)
  }
}
