import { performance as perf } from 'node:perf_hooks'
import * as node from 'node:timers'

// The timers and clocks of the library, taken when it is loaded: what tests put in their place later changes nothing
// here. They are constants, as bundles look up the members of a module at each use. They come from `node:timers`, as a
// simulated browser has timers of its own, without `unref`, and no `setImmediate`.

const { setInterval: setNodeInterval } = node

/** Functions that start and stop single timers. */
export interface TimerSource {
  /** Run once, after so many milliseconds. */
  setTimeout(run: () => void, ms: number): NodeJS.Timeout
  /** Forget a timer; `undefined` is none. */
  clearTimeout(timer: NodeJS.Timeout | undefined): void
}

let source: TimerSource = { setTimeout: node.setTimeout, clearTimeout: node.clearTimeout }

/**
 * Have single timers of the library made by another source, for tests with a virtual time. Deadlines of calls stay as
 * they are. Returns what undoes it.
 */
export function replaceTimers(other: TimerSource): () => void {
  const before = source
  source = other
  return () => {
    source = before
  }
}

/** Ends a timer of `setTimeout`. */
export function clearTimeout(timer: NodeJS.Timeout | undefined): void {
  source.clearTimeout(timer)
}

/** Ends a timer of `setInterval`. */
export const clearInterval: (timer: NodeJS.Timeout | undefined) => void = node.clearInterval
/** Runs a function when this turn of the event loop has read what came. */
export const setImmediate: (run: (_: void) => void) => NodeJS.Immediate = node.setImmediate
/** Runs a function after the present one, before anything else. */
export const queueMicrotask: (run: () => void) => void = globalThis.queueMicrotask
/** Runs a function after the present one, before all promises. */
export const nextTick: (run: () => void) => void = process.nextTick.bind(process)
/** Milliseconds since 1970, by the system's clock. */
export const wallClock: () => number = Date.now
/** Milliseconds by a clock that is never set. */
export const monotonicClock: () => number = perf.now.bind(perf)

/** A wall clock that is so far ahead all at once, in milliseconds, was set, or the machine slept. */
const leapMs = 1_000

/**
 * A clock that is never set back, and goes on while the machine sleeps: a monotonic one may stand still then, as in a virtual
 * machine that is suspended, while other machines and their records grow older.
 */
export function agingFrom(monotonic: () => number, wall: () => number): () => number {
  let sleptMs = 0
  let offset = wall() - monotonic()
  return () => {
    const now = monotonic()
    const offsetNow = wall() - now
    if (offsetNow - offset > leapMs) sleptMs += offsetNow - offset
    offset = offsetNow
    return now + sleptMs
  }
}

/** For how long something may still be believed, kept or used: milliseconds by a clock as of `agingFrom`. */
export const agingClock: () => number = agingFrom(monotonicClock, wallClock)

/** Longest time that a timer of Node takes, in milliseconds; it takes a longer one for 1 ms. */
const longestMs = 2 ** 31 - 1

/** A timer of any length. `Infinity` never comes. */
export function setTimeout(run: (_: void) => void, ms: number): NodeJS.Timeout
export function setTimeout<T>(run: (value: T) => void, ms: number, value: T): NodeJS.Timeout
export function setTimeout<T>(run: (value?: T) => void, ms: number, value?: T): NodeJS.Timeout {
  if (ms <= longestMs) return source.setTimeout(() => run(value), Math.ceil(ms))
  let left = Math.ceil(ms / longestMs)
  const timer = source.setTimeout(
    () => {
      if (--left > 0) timer.refresh()
      else run(value)
    },
    partMs(ms, left),
  )
  return timer
}

/** Runs a function every so many milliseconds, of any number. */
export function setInterval(run: () => unknown, ms: number): NodeJS.Timeout {
  if (ms <= longestMs) return setNodeInterval(run, Math.ceil(ms))
  const parts = Math.ceil(ms / longestMs)
  let left = parts
  return setNodeInterval(
    () => {
      if (--left > 0) return
      left = parts
      run()
    },
    partMs(ms, parts),
  )
}

/** Options of `pause`. */
export interface PauseOptions {
  /** Ends the pause early, without an error. */
  readonly signal?: AbortSignal | undefined
  /** Whether the pause keeps the process alive. @default true */
  readonly ref?: boolean | undefined
}

/** Resolves after a time of any length, or when the signal is aborted. */
export function pause(ms: number, { signal, ref = true }: PauseOptions = {}): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (!ref) timer.unref()
    signal?.addEventListener('abort', end)
  })
}

/** Resolves when this turn of the event loop has read what came. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

function partMs(ms: number, parts: number): number {
  return Number.isFinite(parts) ? Math.ceil(ms / parts) : longestMs
}
