import * as process from 'node:process'
import {
  areAtHand,
  type CallOptions,
  type PassThrough,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { checkFactoryOptions, type OptionNames, unfailingNumbers } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { Meter, Timing } from './meter.ts'
import { mixedWrites } from './mixed-writes.ts'
import { told } from './publishing.ts'
import { watchedPages } from './scanning.ts'
import type { MonitorSnapshot } from './snapshot.ts'
import { StoreMeters } from './store-meters.ts'

/** Settings of a monitor. */
export interface MonitorOptions {
  /** Time every answer that comes without a promise, instead of one in 16: some 90 ns more for each. @default false */
  readonly timeEverySync?: boolean | undefined
  /** Monotonic clock in milliseconds. @default Node's `hrtime` */
  readonly monotonicClock?: (() => number) | undefined
  /** Wall clock in milliseconds. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/** A layer, and the handle to what it saw. */
export interface Monitor extends PassThrough {
  /** The counts since the start, or since the last `reset`. */
  snapshot(): MonitorSnapshot
  /** Start counting anew. Calls under way are then counted nowhere. */
  reset(): void
}

const optionNames: OptionNames<MonitorOptions> = { timeEverySync: true, monotonicClock: true, clock: true }

/**
 * Count calls, errors, hits by tier and latencies, operation by operation. Place it first, so that it sees what the
 * application sees; one monitor may be in several stacks.
 *
 * Calls that are answered by promise are also published on the `node:diagnostics_channel` channels `unikv:read`,
 * `unikv:write` and `unikv:scan` while those have subscribers.
 */
export function monitor(options: MonitorOptions = {}): Monitor {
  checkFactoryOptions('monitor', options, optionNames)
  const { timeEverySync = false } = options
  const clock = unfailingNumbers('monitor', 'clock', options.clock, wallClock)
  const monotonicClock = unfailingNumbers('monitor', 'monotonicClock', options.monotonicClock, monotonicMs)
  if (typeof timeEverySync !== 'boolean')
    throw new StoreError('INVALID_CONFIG', 'timeEverySync must be true or false.')
  const counts = new Counts({ clock: monotonicClock, everySync: timeEverySync }, clock)
  const { name, plan } = passThrough('monitor', { wrap: (inner) => watched(inner, counts) })
  return Object.freeze({ name, plan, snapshot: () => counts.snapshot(), reset: () => counts.reset() })
}

// Taken when this is loaded, as timers are.
const { hrtime } = process // oxlint-disable-line no-restricted-properties

/** Milliseconds since an arbitrary moment: of Node's clocks the one that takes least to read (31 ns to 39), if imported by name. */
function monotonicMs(): number {
  const time = hrtime()
  return time[0] * 1e3 + time[1] / 1e6
}

/** The meters of all stores; replaced as a whole when counting starts anew. */
class Counts {
  readonly #timing: Timing
  readonly #clock: () => number
  readonly #stores = new Map<string, Slot>()
  #sinceAt: number

  constructor(timing: Timing, clock: () => number) {
    this.#timing = timing
    this.#clock = clock
    this.#sinceAt = clock()
  }

  /** Where the calls of a store are counted. */
  slot(name: string): Slot {
    let slot = this.#stores.get(name)
    if (slot === undefined) {
      slot = { meters: new StoreMeters(this.#timing) }
      this.#stores.set(name, slot)
    }
    return slot
  }

  reset(): void {
    this.#sinceAt = this.#clock()
    for (const slot of this.#stores.values()) slot.meters = new StoreMeters(this.#timing)
  }

  snapshot(): MonitorSnapshot {
    const stores = Object.fromEntries(
      Array.from(this.#stores, ([name, { meters }]) => [name, meters.snapshot()]),
    )
    return { sinceAt: this.#sinceAt, takenAt: this.#clock(), stores }
  }
}

interface Slot {
  meters: StoreMeters
}

/** The verbs of a store, counted. */
function watched(inner: Store<unknown>, counts: Counts): Pick<Store<unknown>, 'read' | 'write' | 'scan'> {
  const slot = counts.slot(inner.name)
  const waits = waitingFor(inner.name)
  const mixed = mixedWrites(inner, () => slot.meters)
  // As short as can be, for a hit to be inlined.
  return {
    read: (reads, call) => {
      const meter = slot.meters.read
      const startedAt = meter.start()
      try {
        const results = inner.read(reads, call)
        if (!areAtHand(results)) return waits(results, meter, reads, call, startedAt)
        if (startedAt !== -1) meter.timed(startedAt)
        meter.count(results, call, reads)
        return results
      } catch (error) {
        throw meter.threw(error, reads, startedAt)
      }
    },
    write: (mutations, call) => {
      const meter = slot.meters.write(mutations)
      if (meter === undefined) return mixed(mutations, call)
      const startedAt = meter.start()
      try {
        const results = inner.write(mutations, call)
        if (!areAtHand(results)) return waits(results, meter, mutations, call, startedAt)
        if (startedAt !== -1) meter.timed(startedAt)
        meter.count(results)
        return results
      } catch (error) {
        throw meter.threw(error, mutations, startedAt)
      }
    },
    scan: (range, call) => watchedPages(inner.scan(range, call), slot.meters.scan, inner.name, call),
  }
}

/** A meter that looks into results of its kind, and says how many of them are errors. */
interface Counting<R, I> extends Meter {
  count(results: readonly R[], call: CallOptions, items: readonly I[]): number
}

/** Counts calls to a store that are answered by promise, and publishes them to subscribers. */
function waitingFor(store: string) {
  return <R, I>(
    answer: Promise<readonly R[]>,
    meter: Counting<R, I>,
    asked: readonly I[],
    call: CallOptions,
    maybeStartedAt: number,
  ): Promise<readonly R[]> => {
    const startedAt = meter.waits(maybeStartedAt)
    const { length: items } = asked
    return answer.then(
      (results) => {
        const durationMs = meter.settled(startedAt, call)
        told(store, meter, { items, failed: meter.count(results, call, asked), durationMs })
        return results
      },
      (error: unknown) => {
        const durationMs = meter.settled(startedAt, call)
        meter.failed(error, items)
        told(store, meter, { items, failed: items, durationMs })
        throw error
      },
    )
  }
}
