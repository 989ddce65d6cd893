import { targetText } from '../../driven/report/words.ts'
import type { RunSample } from '../../driven/result.ts'
import { rateOf } from '../../driven/runs.ts'
import { averaged } from '../../driven/target-results.ts'
import { percent } from '../../report/words.ts'
import { isPrecise } from '../../statistics/steady.ts'
import type { RunResult } from './result.ts'

/** Whether the figure that a run asks for is known within `until`. */
export function isKnown(runs: readonly RunSample[], until: number): boolean {
  return isPrecise(runs.map(figureOf), until)
}

/** How far the intervals reach of stores that are not known as precisely as `until` asks for. */
export function missedPrecision({ config, targets }: RunResult): readonly string[] {
  const { until } = config
  if (until === null) return []
  return targets.flatMap(({ store, phase, runs }) => {
    if (isKnown(runs, until)) return []
    const { mean, halfWidth } = averaged(runs.map(figureOf))
    const what = runs[0]?.open === null ? 'its rate' : 'its mean time'
    const reached =
      halfWidth === null || mean === 0 ? 'is not known' : `is known to ±${percent(halfWidth / mean)} %`
    return `${targetText({ store, phase })}: after ${runs.length} ${runs.length === 1 ? 'run' : 'runs'} ${what} ${reached}, not to the ±${percent(until)} % of --until.`
  })
}

/** At a rate the throughput is given, and the times are the question. */
function figureOf(sample: RunSample): number {
  return sample.open === null ? rateOf(sample) : meanResponseOf(sample)
}

function meanResponseOf({ kinds }: RunSample): number {
  const times = kinds.map(({ response, service }) => response ?? service)
  const count = times.reduce((sum, one) => sum + one.count, 0)
  return count === 0 ? 0 : times.reduce((sum, one) => sum + one.sum, 0) / count
}
