// A steady load: operations begin at even distances, whether or not earlier ones have ended, as those of many users do.

import { constantRate, openLoop, operations, timerClock } from '@unikv/bench/loop'
import type { Awaitable } from '@unikv/core'
import { Histogram } from '@unikv/core/histogram'

export interface SteadyOptions {
  readonly perSecond: number
  /** Further ones are refused meanwhile, as a queue would have no end. */
  readonly mostAtOnce: number
  readonly start: (sequence: number) => Awaitable<unknown>
}

/** Times from the intended start to the end, in milliseconds. */
export interface LoadFigures {
  readonly seconds: number
  readonly ended: number
  readonly refused: number
  readonly perSecond: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** Figures of one span of time. */
class Span {
  readonly times = new Histogram()
  readonly startedAt = performance.now()
  begun = 0
}

/** A load that goes on until it is closed; its figures are taken span by span. */
export class SteadyLoad {
  readonly #end = new AbortController()
  readonly #perSecond: number
  readonly #seconds: Histogram[] = []
  readonly #startedAt = Date.now()
  readonly #done: ReturnType<typeof openLoop>
  #span = new Span()

  constructor({ perSecond, mostAtOnce, start }: SteadyOptions) {
    this.#perSecond = perSecond
    const counted = (sequence: number): Awaitable<unknown> => {
      this.#span.begun++
      return start(sequence)
    }
    this.#done = openLoop(operations('operation', counted), {
      arrivals: constantRate(perSecond),
      maxInFlight: mostAtOnce,
      clock: timerClock,
      signal: this.#end.signal,
      observer: { ended: (_kind, atMs, _service, response) => this.#note(atMs, response), failed: () => {} },
    })
  }

  /** Figures since the last call, or since the start. */
  take(): LoadFigures {
    const { times, startedAt, begun } = this.#span
    this.#span = new Span()
    const seconds = (performance.now() - startedAt) / 1000
    const at = (percent: number): number => times.percentile(percent) / 1e6
    return {
      seconds,
      ended: times.count,
      refused: Math.max(0, Math.round(seconds * this.#perSecond) - begun),
      perSecond: times.count / seconds,
      p50: at(50),
      p90: at(90),
      p99: at(99),
      p999: at(99.9),
      max: times.max / 1e6,
    }
  }

  /** Medians of each second from a time on, as they ended, in milliseconds; `undefined`: nothing ended then. */
  medians(fromAt: number): readonly (number | undefined)[] {
    const first = Math.max(0, Math.floor((fromAt - this.#startedAt) / 1000))
    const seconds = Array.from(this.#seconds.slice(first))
    return seconds.map((times) => (times === undefined ? undefined : times.percentile(50) / 1e6))
  }

  /** @throws the first error of an operation */
  async close(): Promise<void> {
    this.#end.abort()
    const { errors, firstError } = await this.#done
    if (errors > 0) throw new Error(`${errors} operations failed`, { cause: firstError })
  }

  #note(atMs: number, response: number): void {
    this.#span.times.record(response)
    const second = Math.floor(atMs / 1000)
    this.#seconds[second] ??= new Histogram()
    this.#seconds[second].record(response)
  }
}
