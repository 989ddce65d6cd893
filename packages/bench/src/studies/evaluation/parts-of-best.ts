import { meanOf } from '../../statistics/summary.ts'
import type { Curve } from '../sweep/result.ts'
import type { EvaluationConfig } from './config.ts'
import { highestRates } from './hits.ts'

/** The highest throughput of a load, beside that of the best candidate. */
export interface PartOfBest {
  readonly load: string
  /** From 0 to 1. */
  readonly part: number
  readonly rate: number
}

/** The highest throughput of each load for a candidate, beside the other measured ones. */
export function partsOfBest(
  config: EvaluationConfig,
  curves: readonly Curve[],
  names: readonly string[],
  candidate: string,
): readonly PartOfBest[] {
  return config.sweep.loads.map(({ name: load }) => {
    const rates = names.map((name) => highestRate(config, curves, name, load))
    const rate = highestRate(config, curves, candidate, load)
    const best = Math.max(...rates)
    return { load, rate, part: best === 0 ? 0 : rate / best }
  })
}

function highestRate(
  config: EvaluationConfig,
  curves: readonly Curve[],
  store: string,
  load: string,
): number {
  const curve = curves.find((one) => one.store === store && one.load === load)
  return curve === undefined ? 0 : meanOf(highestRates(config, curve))
}
