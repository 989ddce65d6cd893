import { clearInterval, monotonicClock, setInterval } from './timers.ts'

/** Told of each beat. */
export interface Beating {
  /** So many ticks have passed. `isLate`: what waits in sockets has not been read since the last beat. */
  beat(ticks: number, isLate: boolean): void
}

/** The timer and the clock behind a heartbeat. */
export interface HeartbeatTime {
  now(): number
  setInterval(run: () => void, ms: number): NodeJS.Timeout
  clearInterval(timer: NodeJS.Timeout | undefined): void
}

/**
 * One timer for all that waits in this process, and what it tells of the time in which the process did not run: blocked
 * by a loop, stopped, or without a processor. That time counts against no call. A first block counts as one tick, one
 * that follows soon as five: a process that is always late would know no deadlines otherwise.
 */
export class Heartbeat {
  /** The time that did not count, in milliseconds. */
  lostMs = 0
  readonly #time: HeartbeatTime
  readonly #members = new Set<Beating>()
  #timer: NodeJS.Timeout | undefined
  #beatAt = 0
  /** Lost time was counted up to here; `Infinity` while nothing waits. */
  #countedTo = Number.POSITIVE_INFINITY
  /** When the last beat was, and when the last block ended, by the clock without what was lost. */
  #ticksTo = 0
  #blockedTo = Number.NEGATIVE_INFINITY

  constructor(time: HeartbeatTime = { now: monotonicClock, setInterval, clearInterval }) {
    this.#time = time
  }

  /** Have a member told of beats. */
  join(member: Beating): void {
    this.#members.add(member)
    if (this.#timer === undefined) this.#start()
  }

  /** Tell it no more. */
  leave(member: Beating): void {
    this.#members.delete(member)
  }

  /** The monotonic clock. If the process was blocked right before, `lostMs` tells that from now on. */
  now(): number {
    const now = this.#time.now()
    if (now - this.#countedTo > mostMs) this.#count(now)
    return now
  }

  #start(): void {
    this.#beatAt = this.#time.now()
    this.#countedTo = this.#beatAt
    this.#ticksTo = this.#beatAt - this.lostMs
    this.#timer = this.#time.setInterval(() => this.#beat(), tickMs)
    this.#timer.unref()
  }

  #beat(): void {
    const now = this.now()
    // Two ticks at once is how timers drift.
    const isLate = now - this.#beatAt >= 3 * tickMs
    this.#beatAt = now
    this.#countedTo = now
    const ticks = Math.floor((now - this.lostMs - this.#ticksTo) / tickMs)
    if (ticks <= 0) return
    this.#ticksTo += ticks * tickMs
    for (const member of this.#members) member.beat(ticks, isLate)
    if (this.#members.size === 0) this.#stop()
  }

  #stop(): void {
    this.#time.clearInterval(this.#timer)
    this.#timer = undefined
    this.#countedTo = Number.POSITIVE_INFINITY
  }

  #count(now: number): void {
    const blockedFrom = this.#countedTo - this.lostMs
    const countedMs = blockedFrom - this.#blockedTo < restMs ? mostMs : tickMs
    this.lostMs += now - this.#countedTo - countedMs
    this.#countedTo = now
    this.#blockedTo = now - this.lostMs
  }
}

/** Between two beats, in milliseconds. */
export const tickMs = 10
/** More than this between two beats is a block. */
const mostMs = 50
/** A block that begins sooner than this after another counts more. */
const restMs = 500

/** The heartbeat of this process. */
export const heartbeat: Heartbeat = new Heartbeat()

/** The library's own `performance`: the monotonic clock in milliseconds, by which deadlines are told. */
export const performance: {
  /** Milliseconds since some moment in the past. */
  now(): number
} = { now: () => heartbeat.now() }

/** Time in milliseconds, so far, in which this process did not run while calls waited. It counts against no deadline. */
export function lostMs(): number {
  heartbeat.now()
  return heartbeat.lostMs
}

/**
 * Count lost time from now on, also while no call waits. Returns what ends that and tells how many milliseconds were lost
 * meanwhile.
 */
export function watchLost(): () => number {
  const member: Beating = { beat: () => {} }
  heartbeat.join(member)
  const before = lostMs()
  return () => {
    heartbeat.leave(member)
    return lostMs() - before
  }
}
