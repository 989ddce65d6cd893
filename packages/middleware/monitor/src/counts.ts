import type { Store } from '@unikv/core'
import { adapterOf } from '@unikv/core/adapter'
import { addFrames, type Frame } from './figures.ts'
import type { Meter, Timing } from './meters/meter.ts'
import { StoreMeters } from './meters/store-meters.ts'
import type { TransactionEnd } from './meters/transaction-meter.ts'
import { RecentCalls } from './recent-calls.ts'
import type { MonitorSnapshot } from './snapshot.ts'

/** Names that stores and native calls may have together; those that come later are counted under `otherNames`. */
const mostNames = 1000

/** Where the calls of names are counted that came when there were already too many. */
const otherNames = '(others)'

/** The meters of all stores; replaced as a whole when counting starts anew. */
export class Counts {
  readonly calls: RecentCalls
  readonly #timing: Timing
  readonly #clock: () => number
  readonly #stores = new Map<string, Slot>()
  readonly #below = new Map<string, WeakRef<Store<unknown>>>()
  #sinceAt: number
  /** The frame that was taken when counting started anew. */
  #before: Frame = {}

  constructor(timing: Timing, clock: () => number, recentCalls: number) {
    this.calls = new RecentCalls(recentCalls, clock)
    this.#timing = timing
    this.#clock = clock
    this.#sinceAt = clock()
  }

  /** Where the calls of a store are counted. */
  slot(name: string): Slot {
    const known = this.#stores.get(name)
    if (known !== undefined) return known
    if (this.#stores.size >= mostNames && name !== otherNames) return this.slot(otherNames)
    const slot = { meters: new StoreMeters(this.#timing) }
    this.#stores.set(name, slot)
    return slot
  }

  /** Where the calls of the stack below a monitor are counted. */
  slotBelow(below: Store<unknown>): Slot {
    const slot = this.slot(below.name)
    if (this.#stores.get(below.name) === slot) this.#below.set(below.name, new WeakRef(below))
    return slot
  }

  /** Count the end of a transaction, or of a recovery. */
  transacted(end: TransactionEnd): void {
    const meter = this.slot(end.log).meters[end.operation]
    const failed = meter.count(end)
    this.calls.awaited(end.log, meter, { items: 1, failed, durationMs: end.durationMs })
  }

  /** Stores of adapters that were called, by name; of several with one name, the one that was watched last. */
  called(): ReadonlyMap<string, Store<unknown>> {
    const called = new Map<string, Store<unknown>>()
    for (const [name, reference] of this.#below) {
      const below = reference.deref()
      if (below === undefined) this.#below.delete(name)
      else if ((this.#stores.get(name)?.meters.used().length ?? 0) > 0) called.set(name, adapterOf(below))
    }
    return called
  }

  reset(): void {
    this.#before = this.take()
    this.calls.clear()
    this.#sinceAt = this.#clock()
    for (const slot of this.#stores.values()) slot.meters = new StoreMeters(this.#timing)
  }

  /** The answers since the last call of this. */
  take(): Frame {
    const taken = Array.from(this.#stores, ([name, { meters }]) => [name, meters.take()] as const)
    const since: Frame = Object.fromEntries(
      taken.flatMap(([name, its]) => (its === undefined ? [] : [[name, its]])),
    )
    const frame = addFrames([this.#before, since])
    this.#before = {}
    return frame
  }

  /** The meters of operations that were called, with the names of their stores. */
  meters(): readonly (readonly [store: string, meter: Meter])[] {
    return Array.from(this.#stores, ([name, { meters }]) =>
      meters.used().map((meter) => [name, meter] as const),
    ).flat()
  }

  snapshot(): MonitorSnapshot {
    const stores = Object.fromEntries(
      Array.from(this.#stores, ([name, { meters }]) => [name, meters.snapshot()]),
    )
    return { sinceAt: this.#sinceAt, takenAt: this.#clock(), stores }
  }
}

/** The meters of one store. */
export interface Slot {
  meters: StoreMeters
}
