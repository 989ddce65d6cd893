import type { IntervalSample } from '../loop/interval-sample.ts'
import { mergedInterval } from './merged.ts'

/** Tells of an interval when it is over in every driver of several. */
export class IntervalMerger {
  /** Intervals of each driver that are not over in all of them. */
  readonly #series: Map<number, IntervalSample[]>
  readonly #onInterval: ((interval: IntervalSample) => void) | undefined

  constructor(drivers: number, onInterval: ((interval: IntervalSample) => void) | undefined) {
    this.#series = new Map(Array.from({ length: drivers }, (_, index) => [index, []]))
    this.#onInterval = onInterval
  }

  /** The next interval of a driver is over. */
  add(driver: number, interval: IntervalSample): void {
    this.#series.get(driver)?.push(interval)
    this.#tell()
  }

  /** Do not wait for this driver any more. */
  leaveOut(driver: number): void {
    this.#series.delete(driver)
    this.#tell()
  }

  #tell(): void {
    const all = [...this.#series.values()]
    while (all.length > 0 && all.every((series) => series.length > 0)) {
      const parts = all.map((series) => series.shift() as IntervalSample)
      this.#onInterval?.(mergedInterval(parts))
    }
  }
}
