import type { IntervalSample } from '../../loop/series.ts'
import { mergedInterval } from '../merged.ts'

/** Tells of an interval when it is over in every thread. */
export class IntervalMerger {
  readonly #series: readonly IntervalSample[][]
  readonly #onInterval: ((interval: IntervalSample) => void) | undefined
  #told = 0

  constructor(threads: number, onInterval: ((interval: IntervalSample) => void) | undefined) {
    this.#series = Array.from({ length: threads }, () => [])
    this.#onInterval = onInterval
  }

  /** The next interval of a thread is over. */
  add(thread: number, interval: IntervalSample): void {
    this.#series[thread]?.push(interval)
    const isOver = this.#series.every((series) => series.length > this.#told)
    if (!isOver) return
    this.#onInterval?.(mergedInterval(this.#series.map((series) => series[this.#told] as IntervalSample)))
    this.#told += 1
  }
}
