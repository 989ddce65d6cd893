import { listed } from '@unikv/workload/report'
import { callersText, wholePercent } from '../reasons.ts'
import type { EvaluationResult } from '../result.ts'

/** The findings of a result, in sentences. */
export function findings(result: EvaluationResult): readonly string[] {
  const { config, failures, comparisons, status, error } = result
  const out = config.candidates.filter(({ state }) => state === 'out' || state === 'unreachable')
  return [
    ...best(result),
    ...out.map(({ name, state, reasons }) =>
      `${name} ${state === 'out' ? 'is out' : 'was not reached'}: ${reasons.join(' ')}`.trim(),
    ),
    ...failures.map(({ store, error }) => `${store} was given up: ${error}`),
    ...invalid(result),
    ...(status === 'complete' && error !== null ? [error] : []),
    ...comparisons.map(({ candidate, load, points }) => {
      const costs = points.map(({ cost }) => cost)
      const range = `${wholePercent(Math.min(...costs))} to ${wholePercent(Math.max(...costs))}`
      return `${candidate}: strong consistency costs ${range} of the throughput of ${load}, by the number of callers.`
    }),
  ]
}

function best({ config, ranking }: EvaluationResult): readonly string[] {
  const [first, second] = ranking
  if (first === undefined) return ['No candidate was measured.']
  const { candidate, met, of } = first
  const total = config.scenarios.length
  if (total === 0 && second === undefined)
    return [`${candidate} is the only candidate that was measured, and the document names no scenario.`]
  if (total === 0)
    return [
      `${candidate} has the most throughput of ${ranking.length} candidates. The document names no scenario.`,
    ]
  if (met < of) return [`No candidate meets every scenario. ${candidate} comes closest.`]
  const all = ranking.filter((one) => one.met >= one.of).map((one) => one.candidate)
  if (all.length === 1) return [`${candidate} alone meets every scenario.`]
  return [
    `${listed(all)} meet every scenario. ${candidate} has the most throughput${second === undefined ? '' : `; ${second.candidate} has ${wholePercent(second.throughput / first.throughput)} of it`}.`,
  ]
}

/** Runs that the generator spoiled. */
function invalid({ curves }: EvaluationResult): readonly string[] {
  return curves.flatMap(({ store, load, points }) => {
    const [first] = points.filter((point) => point.invalid.length > 0)
    return first === undefined
      ? []
      : [`${store}, ${load} with ${callersText(first.value)} says little: ${first.invalid[0]}`]
  })
}
