import type { CallOptions, LayerFacts } from '@unikv/core'
import {
  absencesOf,
  awaitedUntil,
  forPlainReads,
  noteAbsent,
  staleAbsence,
  wantsWhole,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { type Loading, loadings } from './loading.ts'

/** A load without a deadline is given up for lost after so many milliseconds. */
const longestMs = 600_000

/**
 * The options of a load that may serve several callers, without a caller's signal or deadline. Its deadline lies
 * as far behind that of its first caller as that one is ahead, so a caller that joins within the first caller's time,
 * with no more time of its own, never gets `TIMEOUT` before its own deadline.
 *
 * It is not a derived call: its deadline and its end are those of all who share it, and every miss makes one.
 */
export class LoadCall implements CallOptions {
  readonly signal: undefined
  readonly consistency: string | undefined
  readonly whole: boolean
  /** Whether no caller waits for it: the caller was answered already. */
  readonly isBehind: boolean
  /** Loading options of its first caller. */
  readonly loading: Loading | undefined
  sent = false
  /** Told to each caller, of the keys that it asked for, when the load has landed. */
  declare told?: LayerFacts | undefined
  readonly #first: CallOptions
  /** Those who may still wait. */
  readonly #callers: CallOptions[]
  readonly #begunAt: number = performance.now()
  #deadlineAt: number | undefined
  #over = false
  #facts: LayerFacts | undefined

  constructor(first: CallOptions, isBehind = false) {
    this.consistency = first.consistency
    this.whole = wantsWhole.of(first.facts) === true
    this.isBehind = isBehind
    this.loading = loadings.of(first.facts)
    this.#first = first
    this.#callers = [first]
  }

  /** The call by whose time this load has to end: that of its first caller, if somebody waits. */
  get awaited(): CallOptions {
    return this.isBehind ? this : this.#first
  }

  /** Those of its first caller. One for which no level was asked is for plain reads. */
  get facts(): LayerFacts | undefined {
    const { facts } = this.#first
    return (this.#facts ??= this.consistency === undefined ? forPlainReads.with(this, facts) : facts)
  }

  /** A load that no caller waits for has its own time. */
  get awaitedUntil(): number {
    return this.isBehind ? this.deadlineAt : awaitedUntil(this.#first)
  }

  get deadlineAt(): number {
    this.#deadlineAt ??= twiceAsFar(this.#first)
    return this.#deadlineAt
  }

  /** Whether it should have ended, so that it may never do so: others need not wait for it. */
  get isOverdue(): boolean {
    const { deadlineAt } = this
    return (
      performance.now() > (deadlineAt === Number.POSITIVE_INFINITY ? this.#begunAt + longestMs : deadlineAt)
    )
  }

  /** Whether no caller waits any more. A load that finds `true` does not start, so no caller may join from then on. */
  get settled(): boolean {
    // From the end, as answered callers are forgotten: each of 10,000 may ask when it goes.
    while (this.#callers.at(-1)?.settled === true) this.#callers.pop()
    this.#over ||= this.#callers.length === 0
    return this.#over
  }

  /** Tell the first caller of absences; those who join are told of their key. */
  landed(): void {
    for (const [key, meta] of absencesOf(this) ?? []) noteAbsent(this.#first, key, meta)
  }

  /** Tell a caller that joined the load of this key. */
  tellAbsence(caller: CallOptions, key: string): void {
    const meta = absencesOf(this)?.get(key) ?? staleAbsence.of(this.told)
    if (meta !== undefined) noteAbsent(caller, key, meta)
  }

  /** Take one more caller, if the load can serve it to its own deadline. */
  join(caller: CallOptions): boolean {
    const joins = !this.#over && caller.deadlineAt <= this.deadlineAt
    if (joins) this.#callers.push(caller)
    return joins
  }
}

function twiceAsFar({ deadlineAt }: CallOptions): number {
  if (deadlineAt === Number.POSITIVE_INFINITY) return deadlineAt
  return deadlineAt + Math.max(0, deadlineAt - performance.now())
}
