import { AbortController } from '@unikv/core/platform'
import { RunningFigures } from '../../driven/thresholds/running-figures.ts'
import type { Threshold } from '../../driven/thresholds/threshold.ts'
import type { IntervalSample, SeriesInterval } from '../../loop/interval-sample.ts'
import { mixOf } from '../../operations/mix.ts'
import { countedKinds } from '../../operations/mixed-operations.ts'
import { isSteady } from '../../statistics/steady.ts'
import type { RunConfig } from './config.ts'
import type { Setting } from './phases/setting.ts'

/** Looks at each second of a run, and may end it. */
export interface Watch {
  readonly signal: AbortSignal
  saw(interval: SeriesInterval, sample: IntervalSample): void
  close(): void
}

/** A signal that ends a run early, also when another one does. */
export class EarlyEnd {
  readonly #end = new AbortController()
  readonly #given: AbortSignal
  readonly #stop = (): void => this.#end.abort(this.#given.reason)

  /** @param given ends the run, too */
  constructor(given: AbortSignal) {
    this.#given = given
    if (given.aborted) this.#stop()
    else given.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** End the run. */
  end(): void {
    this.#end.abort()
  }

  /** The run is over. */
  close(): void {
    this.#given.removeEventListener('abort', this.#stop)
  }
}

/** A warm-up lasts no longer, however the store behaves. */
export const longestWarmupMs = 60_000

/** Ends a warm-up when its seconds are alike: by the throughput, or at a rate by the median time. */
export class SteadyWatch implements Watch {
  readonly #end: EarlyEnd
  readonly #figures: number[] = []
  readonly #isAtRate: boolean
  #isSteady = false

  /** @param given ends the warm-up, too */
  constructor(given: AbortSignal, isAtRate: boolean) {
    this.#isAtRate = isAtRate
    this.#end = new EarlyEnd(given)
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Look at a second that is over. */
  saw({ all, lengthMs }: SeriesInterval): void {
    const figure = this.#isAtRate ? all.p50Ms : all.operations / lengthMs
    if (figure === null) return
    this.#figures.push(figure)
    this.#isSteady ||= isSteady(this.#figures)
    if (this.#isSteady) this.#end.end()
  }

  /** Whether its seconds came to be alike. */
  get isSteady(): boolean {
    return this.#isSteady
  }

  close(): void {
    this.#end.close()
  }
}

/** The figures of each store and phase so far, for a run that ends when a threshold is crossed. */
export class ThresholdFigures {
  readonly #config: Pick<RunConfig, 'failFast' | 'failIf'>
  readonly #figures = new Map<string, RunningFigures>()

  constructor(config: Pick<RunConfig, 'failFast' | 'failIf'>) {
    this.#config = config
  }

  /** Watch the next run; `undefined`: runs do not end early. */
  watch(target: string, { workload, loop }: Setting, given: AbortSignal): ThresholdWatch | undefined {
    const { failFast, failIf } = this.#config
    if (!failFast) return undefined
    const kinds = countedKinds(
      mixOf(workload).map(([name]) => name),
      workload.module,
    )
    const { rate } = loop
    const made = (): RunningFigures => new RunningFigures(kinds, rate !== null, Array.isArray(rate))
    const figures = this.#figures.get(target) ?? made()
    this.#figures.set(target, figures)
    figures.begin()
    return new ThresholdWatch(figures, failIf, given)
  }
}

/** Ends a run when a threshold is crossed beyond doubt. */
class ThresholdWatch implements Watch {
  readonly #end: EarlyEnd
  readonly #figures: RunningFigures
  readonly #thresholds: readonly Threshold[]

  constructor(figures: RunningFigures, thresholds: readonly Threshold[], given: AbortSignal) {
    this.#end = new EarlyEnd(given)
    this.#figures = figures
    this.#thresholds = thresholds
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  saw(_interval: SeriesInterval, sample: IntervalSample): void {
    this.#figures.add(sample)
    if (this.#figures.hasCrossed(this.#thresholds)) this.#end.end()
  }

  close(): void {
    this.#end.close()
  }
}
