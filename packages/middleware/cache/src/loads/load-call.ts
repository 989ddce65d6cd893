import type { CallOptions, ReadMeta, StandIn } from '@unikv/core'
import { noteAbsent } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { type Loading, loadingOf } from './loading.ts'

/** A load without a deadline is given up for lost after so many milliseconds. */
const longestMs = 600_000

/**
 * The options of a load that may serve several callers: no one's signal and no one's deadline. Its deadline lies
 * as far behind that of its first caller as that one is ahead, so whoever joins within the first caller's time,
 * with no more time of his own, is never told `TIMEOUT` before his own deadline.
 *
 * It is not a derived call: deadline, end and stand-ins are those of all who share it, and every miss makes one.
 */
export class LoadCall implements CallOptions {
  readonly signal: undefined
  readonly consistency: string | undefined
  readonly whole: boolean
  /** Whether nobody waits for it: who asked was answered already. */
  readonly isBehind: boolean
  /** Loading options of its first caller. */
  readonly loading: Loading | undefined
  sent = false
  /** Told to each caller, of the keys that he asked for, when the load has landed. */
  declare absences?: Map<string, ReadMeta> | undefined
  readonly #first: CallOptions
  /** Those who may still wait. */
  readonly #callers: CallOptions[]
  readonly #begunAt: number = performance.now()
  #deadlineAt: number | undefined
  #over = false
  #standIn: SharedStandIn | undefined

  constructor(first: CallOptions, isBehind = false) {
    this.consistency = first.consistency
    this.whole = first.whole === true
    this.isBehind = isBehind
    this.loading = loadingOf(first)
    this.#first = first
    this.#callers = [first]
  }

  /** The call by whose time this load has to end: that of its first caller, if somebody waits. */
  get awaited(): CallOptions {
    return this.isBehind ? this : this.#first
  }

  get context(): Loading | undefined {
    return this.loading
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

  /** None where a level was asked for: that is the store's to keep. */
  get standIn(): StandIn | undefined {
    if (this.consistency !== undefined) return undefined
    this.#standIn ??= new SharedStandIn(this.#callers, this.awaited)
    return this.#standIn
  }

  /** Whether nobody waits any more. Whoever is told so does not start: so nobody may join from then on. */
  get settled(): boolean {
    // From the end, as those who were answered are forgotten: each of 10,000 may ask when he goes.
    while (this.#callers.at(-1)?.settled === true) this.#callers.pop()
    this.#over ||= this.#callers.length === 0
    return this.#over
  }

  /** Tell the first caller of absences; those who join are told of their key. */
  landed(): void {
    for (const [key, meta] of this.absences ?? []) noteAbsent(this.#first, key, meta)
  }

  /** Tell one who has joined the load of this key. */
  tellAbsence(caller: CallOptions, key: string): void {
    const meta = this.absences?.get(key)
    if (meta !== undefined) noteAbsent(caller, key, meta)
  }

  /** Take one more caller, if the load can serve him to his own deadline. */
  join(caller: CallOptions): boolean {
    const joins = !this.#over && caller.deadlineAt <= this.deadlineAt
    if (!joins) return false
    this.#callers.push(caller)
    if (this.#standIn?.absent === true) this.#standIn.absent = true
    return true
  }
}

/** Passes what it is told on to all callers that share the answers. */
class SharedStandIn implements StandIn {
  readonly #callers: readonly CallOptions[]
  readonly #awaited: CallOptions
  #absent = false

  constructor(callers: readonly CallOptions[], awaited: CallOptions) {
    this.#callers = callers
    this.#awaited = awaited
  }

  /** A load for another cache has more time than who waits for that. */
  get awaitedUntil(): number {
    const { standIn, deadlineAt } = this.#awaited
    // A load that nobody waits for has its own time.
    return standIn === undefined || standIn === this ? deadlineAt : (standIn.awaitedUntil ?? deadlineAt)
  }

  get absent(): boolean {
    return this.#absent
  }

  set absent(absent: boolean) {
    this.#absent = absent
    for (const { standIn } of this.#callers) if (standIn !== undefined) standIn.absent = absent
  }
}

function twiceAsFar({ deadlineAt }: CallOptions): number {
  if (deadlineAt === Number.POSITIVE_INFINITY) return deadlineAt
  return deadlineAt + Math.max(0, deadlineAt - performance.now())
}
