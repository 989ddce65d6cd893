import { machineFindings } from '../../../driven/report/findings.ts'
import { formatCallers, listed } from '../../../report/words.ts'
import { durabilitiesOf } from '../../../run/result.ts'
import { besidesOf } from '../../sweep/report/findings.ts'
import { wholePercent } from '../reasons.ts'
import type { EvaluationResult } from '../result.ts'
import { costBasis, costText } from './costs.ts'

/** Runs that a comparison needs. */
const leastRuns = 3

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
    ...costFindings(result),
    ...machineFindings(besidesOf(result.curves)),
  ]
}

function best(result: EvaluationResult): readonly string[] {
  const { config, ranking, stores } = result
  const [first, second] = ranking
  if (first === undefined) return ['No candidate was measured.']
  const { candidate, met, of } = first
  const total = config.scenarios.length
  const top = ranking.filter(({ places }, index) => (places?.[0] ?? index + 1) === 1)
  const isTied = top.length > 1
  const tie = isTied
    ? [
        tieText(
          top.map((one) => one.candidate),
          config.runs,
        ),
      ]
    : []
  const promises = durabilitiesOf({ stores }) ?? []
  if (total === 0 && second === undefined)
    return [`${candidate} is the only candidate that was measured, and the document names no scenario.`]
  if (total === 0) {
    const most = isTied ? '' : `${candidate} has the most throughput of ${ranking.length} candidates. `
    return [`${most}The document names no scenario.`, ...tie].concat(promises)
  }
  const maybe = perhaps(result)
  if (met < of) {
    const closest = isTied ? '' : ` ${candidate} comes closest.`
    return [`No candidate meets every scenario.${closest}`, ...maybe, ...tie].concat(promises)
  }
  const all = ranking.filter((one) => one.met >= one.of).map((one) => one.candidate)
  if (all.length === 1) return [`${candidate} alone meets every scenario.`, ...maybe].concat(promises)
  const most =
    isTied || second === undefined
      ? ''
      : ` ${candidate} has the most throughput; ${second.candidate} has ${wholePercent(second.throughput / first.throughput)} of it.`
  return [`${listed(all)} meet every scenario.${most}`, ...maybe, ...tie].concat(promises)
}

/** The cost of each candidate, and the prices behind it. */
function costFindings(result: EvaluationResult): readonly string[] {
  const { prices } = result.config
  const costs = (result.costs ?? []).map(({ candidate }) => `${candidate} ${costText(result, candidate)}`)
  if (prices === undefined || costs.length === 0) return []
  return [`Cost a month: ${costs.join(', ')}. ${costBasis(prices)}`]
}

/** Candidates that miss no scenario for certain, though one is too close to tell. */
function perhaps({ ranking, scenarios }: EvaluationResult): readonly string[] {
  const names = ranking
    .filter(({ met, of }) => met < of)
    .map((one) => one.candidate)
    .filter((name) => scenarios.every((one) => one.candidate !== name || one.holds || one.isClose === true))
  if (names.length === 0) return []
  return [`${listed(names)} may meet every scenario: the runs are too close to a bound to tell.`]
}

/** The candidates that share the first place. */
function tieText(names: readonly string[], runs: number): string {
  const why =
    runs < leastRuns
      ? `${runs === 1 ? 'one run does' : 'two runs do'} not tell: give each candidate three runs or more`
      : 'their runs vary too much, or differ by too little'
  return `1–${names.length}: ${listed(names)} cannot be told apart by their throughput, as ${why}.`
}

/** Runs that the generator spoiled. */
function invalid({ curves }: EvaluationResult): readonly string[] {
  return curves.flatMap(({ store, load, points }) => {
    const [first] = points.filter((point) => point.invalid.length > 0)
    return first === undefined
      ? []
      : [`${store}, ${load} with ${formatCallers(first.value)} says little: ${first.invalid[0]}`]
  })
}

/** The questions that the evaluation leaves open, in sentences. */
export function untestedIn(result: EvaluationResult): readonly string[] {
  const { config, stores, comparisons } = result
  const { candidates, sweep } = config
  const { workload, over } = sweep
  const most = over.values.at(-1) ?? 0
  const isHere = stores.every(({ url }) =>
    /^[a-z+]+:(?!\/\/)|\/\/(?:[^@/]*@)?(?:localhost|127\.|\[::1\])/i.test(url),
  )
  const notMeasured = candidates.filter(({ state }) => state === 'named' || state === 'unreachable')
  return [
    ...(notMeasured.length === 0 ? [] : [`Not measured: ${notMeasured.map(({ name }) => name).join(', ')}.`]),
    `More than ${workload.records.toLocaleString('en-US')} records, and data that no longer fits into the memory of the server.`,
    `More than ${formatCallers(most)}, and callers on more than one machine.`,
    ...(isHere
      ? [
          'The way over a network: all stores answered on this machine, and shared its processors with the callers.',
        ]
      : []),
    'The failure of nodes, recovery, backup and restore, and growth while the store serves.',
    ...untestedConsistency(measuresStale(result), comparisons.length > 0),
    config.prices === undefined
      ? 'The cost of operation: licenses, machines, and the knowledge of those who run the store.'
      : 'Other costs of operation: licenses, traffic, backups, and the knowledge of those who run the store.',
  ]
}

function untestedConsistency(hasStale: boolean, hasPrice: boolean): readonly string[] {
  if (hasPrice) return hasStale ? [] : ['How stale reads are: see unikv bench consistency.']
  return [`${hasStale ? 'The' : 'Stale reads, and the'} price of strong consistency.`]
}

/** Whether a scenario has a figure of stale reads. */
function measuresStale({ config, scenarios }: EvaluationResult): boolean {
  const names = config.scenarios.filter(({ measure }) => measure.metric === 'stale').map(({ name }) => name)
  return scenarios.some(({ scenario, found }) => found !== null && names.includes(scenario))
}
