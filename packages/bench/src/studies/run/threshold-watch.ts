import { RunningFigures } from '../../driven/thresholds/running-figures.ts'
import type { Threshold } from '../../driven/thresholds/threshold.ts'
import type { IntervalSample, SeriesInterval } from '../../loop/interval-sample.ts'
import { mixOf } from '../../operations/mix.ts'
import { countedKinds } from '../../operations/mixed-operations.ts'
import type { RunConfig } from './config.ts'
import { EarlyEnd, type Watch } from './early-end.ts'
import type { Setting } from './phases/setting.ts'

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
    const kinds = countedKinds(mixOf(workload).map(([name]) => name))
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
