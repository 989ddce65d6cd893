import type { BenchEvent } from '../run/progress.ts'

/** A second of a run that is under way. */
export interface LiveSecond {
  readonly target: string
  /** Seconds since the first run began, all runs one after the other. */
  readonly at: number
  /** Operations a second. */
  readonly rate: number
  readonly errors: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
}

/** So many of the latest seconds are kept of each target. */
const mostSeconds = 1_200

/** How far a run has come, by its events. */
export class RunState {
  readonly #seconds = new Map<string, LiveSecond[]>()
  /** Where each run begins on the axis of all runs, in milliseconds. */
  readonly #begins = new Map<number, number>()
  #endMs = 0
  #cells = 0
  #done: Extract<BenchEvent, { readonly type: 'cell' }> | undefined
  #last: BenchEvent | undefined

  /** Take an event into account. */
  saw(event: BenchEvent): void {
    if (event.type === 'started') this.#cells = event.cells
    else if (event.type === 'cell') this.#done = event
    else if (event.type === 'interval') this.#measured(event)
    if (event.type !== 'cell') this.#last = event
  }

  get cells(): number {
    return this.#cells
  }

  /** How many measurements are done. */
  get done(): number {
    return this.#done?.done ?? 0
  }

  /** The last measurement that is done. */
  get lastDone(): Extract<BenchEvent, { readonly type: 'cell' }> | undefined {
    return this.#done
  }

  /** The last event within a measurement. */
  get lastEvent(): BenchEvent | undefined {
    return this.#last
  }

  /** The latest seconds of each target. */
  get seconds(): ReadonlyMap<string, readonly LiveSecond[]> {
    return this.#seconds
  }

  #measured({ target, run, interval }: Extract<BenchEvent, { readonly type: 'interval' }>): void {
    // A warm-up is not shown: no figure of the report has it.
    if (run === 0) return
    const beginMs = this.#begins.get(run) ?? this.#endMs
    this.#begins.set(run, beginMs)
    const { atMs, lengthMs, all } = interval
    this.#endMs = Math.max(this.#endMs, beginMs + atMs + lengthMs)
    const { operations, errors, p50Ms, p99Ms } = all
    const rate = lengthMs <= 0 ? 0 : (operations / lengthMs) * 1_000
    const own = this.#seconds.get(target) ?? []
    own.push({ target, at: (beginMs + atMs) / 1_000, rate, errors, p50Ms, p99Ms })
    if (own.length > mostSeconds) own.shift()
    this.#seconds.set(target, own)
  }
}
