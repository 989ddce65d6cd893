import type { CallOptions } from '@unikv/core'

/**
 * The options of a load that may serve several callers: no one's signal and no one's deadline. Its deadline lies
 * as far behind that of its first caller as that one is ahead, so whoever joins within the first caller's time,
 * with no more time of his own, is never told `TIMEOUT` before his own deadline.
 */
export class LoadCall implements CallOptions {
  readonly signal: undefined
  readonly consistency: string | undefined
  /** Whether nobody waits for it: who asked was answered already. */
  readonly isBehind: boolean
  sent = false
  readonly #callers: CallOptions[]
  #deadlineAt: number | undefined
  #over = false

  constructor(first: CallOptions, isBehind = false) {
    this.consistency = first.consistency
    this.isBehind = isBehind
    this.#callers = [first]
  }

  get deadlineAt(): number {
    this.#deadlineAt ??= twiceAsFar(this.#callers[0] as CallOptions)
    return this.#deadlineAt
  }

  /** Whether nobody waits any more. Whoever is told so does not start: so nobody may join from then on. */
  get settled(): boolean {
    this.#over ||= this.#callers.every((caller) => caller.settled === true)
    return this.#over
  }

  /** Take one more caller, if the load can serve him to his own deadline. */
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
