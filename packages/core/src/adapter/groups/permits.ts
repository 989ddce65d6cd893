import { StoreError } from '../../contract/errors.ts'
import type { GroupCall } from '../../contract/groups.ts'
import { bounded } from '../attempt.ts'

const permits = new WeakMap<object, Permits>()

/** Gives a permit back. */
export type GiveBack = () => void

/**
 * Lets so many transactions hold a connection at the same time, and no more: one connection is left for everything else. Without it transactions that
 * wait for a statement outside of them would have all connections, and wait for each other until their deadlines.
 */
export class Permits {
  readonly #waiting: Set<Waiting> = new Set()
  readonly #hasOne: boolean
  #free: number

  /** `connections`: those of the pool; `undefined`: it does not tell, and there is no limit. */
  constructor(connections: number | undefined) {
    this.#hasOne = connections === 1
    this.#free = connections === undefined ? Number.POSITIVE_INFINITY : connections - 1
  }

  /** Those of a pool, which several stores may share. */
  static of(pool: object, connections: number | undefined): Permits {
    const known = permits.get(pool) ?? new Permits(connections)
    permits.set(pool, known)
    return known
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * First come, first served. A brief transaction needs none.
   *
   * @throws {StoreError} `INVALID_CONFIG` if there is one connection alone; `TIMEOUT` or `ABORTED` while it waits; that of `refuse`
   */
  async take(call: GroupCall, store: object): Promise<GiveBack> {
    if (this.#hasOne) throw tooFew()
    if (call.brief === true) return nothing
    if (this.#free > 0) this.#free--
    else await this.#turn(call, store)
    let isBack = false
    return () => {
      if (!isBack) this.#giveBack()
      isBack = true
    }
  }

  /** Refuse all of a store that wait: it is closed. */
  refuse(store: object, error: StoreError): void {
    for (const waiting of this.#waiting)
      if (waiting.store === store && this.#waiting.delete(waiting)) waiting.refuse(error)
  }

  #turn(call: GroupCall, store: object): Promise<void> {
    let waiting: Waiting | undefined
    const wait = (): Promise<void> =>
      new Promise((begin, refuse) => {
        waiting = { store, begin, refuse }
        this.#waiting.add(waiting)
      })
    const leave = (): void => {
      // It may have come in the moment in which the call ended.
      if (!this.#waiting.delete(waiting as Waiting)) this.#giveBack()
    }
    // One whose call is over already does not begin to wait.
    return bounded(call, false, wait, leave)
  }

  #giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next.begin()
  }
}

/** One that waits. */
interface Waiting {
  readonly store: object
  readonly begin: () => void
  readonly refuse: (error: StoreError) => void
}

function tooFew(): StoreError {
  const message =
    'Native transactions need at least 2 connections, as one must stay free for reads beside them. Raise maxConnections, or the limit of the pool.'
  return new StoreError('INVALID_CONFIG', message)
}

function nothing(): void {}
