import type { MonitorResult } from '../result.ts'
import type { Reading } from './reading.ts'

/** The numbers and failures of a monitor in one run. */
export class MonitorLog {
  readonly #name: string
  readonly #series = new Map<string, [atMs: number, value: number][]>()
  #readings = 0
  #failures = 0
  #problem: string | null = null

  constructor(name: string) {
    this.#name = name
  }

  /** Keep the reading of a turn that began at a time of the run. */
  add(atMs: number, reading: Reading): void {
    if (typeof reading === 'string') {
      this.#failures++
      this.#problem ??= reading
      return
    }
    this.#readings++
    for (const [name, value] of reading) {
      const points = this.#series.get(name) ?? []
      this.#series.set(name, points)
      points.push([atMs, value])
    }
  }

  get result(): MonitorResult {
    return {
      name: this.#name,
      readings: this.#readings,
      failures: this.#failures,
      problem: this.#problem,
      series: [...this.#series].map(([name, points]) => ({ name, points })),
    }
  }
}
