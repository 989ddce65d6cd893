import { StoreError } from '@unikv/core/adapter'
import type { Counts } from './counts.ts'

const countsOf = new WeakMap<object, Counts>()
const taken = new WeakSet<object>()

const trafficOf = new WeakMap<object, Counts>()

/** The counts of a new monitor. */
export function noteCounts(monitor: object, counts: Counts): void {
  countsOf.set(monitor, counts)
}

/** A layer that counts bytes for a monitor. */
export function noteTraffic<L extends object>(layer: L, counts: Counts): L {
  trafficOf.set(layer, counts)
  return layer
}

/** Where a layer counts; `undefined`: it is another layer. */
export function countsBehind(layer: object): Counts | undefined {
  return countsOf.get(layer) ?? trafficOf.get(layer)
}

/**
 * The counts of a monitor, for the one recorder that takes from them.
 *
 * @throws {StoreError} `INVALID_CONFIG` if something else is given, or another recorder takes from it
 */
export function countsToTake(monitor: object): { readonly counts: Counts; readonly giveBack: () => void } {
  const counts = countsIn('recorder', monitor)
  if (taken.has(monitor))
    throw new StoreError('INVALID_CONFIG', 'This monitor has a recorder already. Close that one first.')
  taken.add(monitor)
  return { counts, giveBack: () => void taken.delete(monitor) }
}

/**
 * The counts of a monitor, to be read.
 *
 * @throws {StoreError} `INVALID_CONFIG` if something else is given
 */
export function countsIn(whose: string, monitor: object): Counts {
  const counts = countsOf.get(monitor)
  if (counts !== undefined) return counts
  throw new StoreError('INVALID_CONFIG', `${whose}() takes what monitor() returned.`)
}
