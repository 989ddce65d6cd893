import * as util from 'node:util'

/**
 * Node's own class, also where a simulated browser (jsdom) has put one in its place that Node's clients do not take.
 * `node:util` is where it can still be had.
 */
export const AbortController: typeof globalThis.AbortController =
  (util.transferableAbortController?.().constructor as typeof globalThis.AbortController | undefined) ??
  globalThis.AbortController

/** An object of the class below. */
export type AbortController = globalThis.AbortController

/** Node's own class, as `AbortController`. */
export const AbortSignal: typeof globalThis.AbortSignal = new AbortController().signal
  .constructor as typeof globalThis.AbortSignal

/** An object of the class above. */
export type AbortSignal = globalThis.AbortSignal

/** Told when a signal is aborted. */
export interface Told {
  /** The signal was aborted. */
  handleEvent(): void
}

/** All who wait for one signal, as one listener: a signal looks through its listeners for each that comes or goes. */
class Watch extends Set<Told> {
  handleEvent(): void {
    for (const one of Array.from(this)) one.handleEvent()
  }
}

const watches = new WeakMap<object, Watch>()

/** Tell this one when the signal is aborted. */
export function watch(signal: AbortSignal | undefined, told: Told): void {
  if (signal === undefined) return
  const all = watches.get(signal) ?? new Watch()
  if (all.add(told).size > 1) return
  watches.set(signal, all)
  signal.addEventListener('abort', all)
}

/** It need not be told any more; again is fine. */
export function unwatch(signal: AbortSignal | undefined, told: Told): void {
  const all = signal && watches.get(signal)
  if (all?.delete(told) === true && all.size === 0) signal?.removeEventListener('abort', all)
}
