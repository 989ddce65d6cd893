import type { ReportTable } from '../../../report/report-table.ts'
import { formatCallers, formatCount } from '../../../report/words.ts'
import { promiseOf } from '../../../run/result.ts'
import type { Candidate, CandidateState } from '../config.ts'
import { figureText, wholePercent } from '../reasons.ts'
import type { EvaluationResult } from '../result.ts'
import { costSentence, costTable } from './costs.ts'
import { untestedIn } from './findings.ts'

const states: Readonly<Record<CandidateState, string>> = {
  measured: 'measured',
  out: 'screened out',
  unreachable: 'not reached',
  named: 'facts only',
}

/** The tables that the page begins with. */
export function pageTables(result: EvaluationResult): readonly ReportTable[] {
  return [
    rankingTable(result),
    ...scenarioTable(result),
    candidateTable(result),
    ...shapeTable(result),
    ...levelTable(result),
    ...costTable(result),
    untestedTable(result),
  ]
}

/** The same for a terminal, where texts are wrapped; the answer comes last. */
export function summaryTables(result: EvaluationResult): readonly ReportTable[] {
  const own = pageTables(result).map((table) =>
    table.told === undefined ? table : { ...table, names: table.head.length },
  )
  const [first, ...rest] = own as [ReportTable, ...ReportTable[]]
  return [...rest, first]
}

function rankingTable(result: EvaluationResult): ReportTable {
  const { ranking, config, scenarios, stores } = result
  const promiseFor = (name: string): string => {
    const store = stores.find((one) => one.name === name)
    return store === undefined ? '–' : promiseOf(store).level
  }
  const isWeighted = config.scenarios.some(({ weight }) => weight !== 1)
  const heldBy = (name: string): string => {
    const own = scenarios.filter(({ candidate }) => candidate === name)
    const close = own.filter(({ isClose }) => isClose === true).length
    const held = `${own.filter(({ holds }) => holds).length} of ${config.scenarios.length}`
    return close === 0 ? held : `${held}, ${close} close`
  }
  return {
    title: 'Ranking: scenarios that hold, then throughput beside the best of each load (geometric mean)',
    head: [
      'place',
      'candidate',
      ...(config.scenarios.length === 0 ? [] : ['scenarios']),
      ...(isWeighted ? ['weights'] : []),
      'throughput',
      'a write is',
      'reasons',
    ],
    names: 2,
    told: 4 + Number(config.scenarios.length > 0) + Number(isWeighted),
    rows: ranking.map(({ candidate, met, of, throughput, places, reasons }, index) => [
      placeText(places ?? [index + 1, index + 1]),
      candidate,
      ...(config.scenarios.length === 0 ? [] : [heldBy(candidate)]),
      ...(isWeighted ? [`${Number(met.toPrecision(6))} of ${Number(of.toPrecision(6))}`] : []),
      wholePercent(throughput),
      promiseFor(candidate),
      [...reasons, ...costSentence(result, candidate)].join(' '),
    ]),
  }
}

/** A place, or those that the runs leave open: `1–2`. */
function placeText([first, last]: readonly [number, number]): string {
  return first === last ? String(first) : `${first}–${last}`
}

function scenarioTable({ config, scenarios, ranking }: EvaluationResult): readonly ReportTable[] {
  if (config.scenarios.length === 0 || ranking.length === 0) return []
  const hasClose = scenarios.some(({ isClose }) => isClose === true)
  return [
    {
      title: `Scenarios; ✗ marks those that do not hold${hasClose ? ', ≈ those that are too close to tell' : ''}`,
      head: ['scenario', 'wanted', ...ranking.map(({ candidate }) => candidate)],
      names: 2,
      rows: config.scenarios.map(({ name, measure, load, callers }) => [
        name,
        `${measure.text}, ${load}, ${formatCallers(callers)}`,
        ...ranking.map(({ candidate }) => {
          const found = scenarios.find((one) => one.scenario === name && one.candidate === candidate)
          if (found === undefined || found.found === null) return '✗ missing'
          const mark = found.isClose === true ? '≈ ' : found.holds ? '' : '✗ '
          return `${mark}${figureText(measure, found.found)}`
        }),
      ]),
    },
  ]
}

function candidateTable({ config, failures }: EvaluationResult): ReportTable {
  const why = ({ name, reasons }: Candidate): string =>
    [
      ...failures.flatMap(({ store, error }) => (store === name ? [`Given up: ${error}`] : [])),
      ...reasons,
    ].join(' ')
  return {
    title: 'Candidates',
    head: ['candidate', 'store', 'state', 'why'],
    names: 1,
    told: 3,
    rows: config.candidates.map((one) => [one.name, one.title, states[one.state], why(one)]),
  }
}

function shapeTable({ shapes }: EvaluationResult): readonly ReportTable[] {
  if (shapes.length === 0) return []
  const table = {
    title: 'Shapes of throughput over callers',
    head: ['store', 'load', 'shape', 'at callers'],
    names: 2,
    rows: shapes.map(({ store, load, shape, at }) => [
      store,
      load,
      shape,
      at === null ? '–' : Math.max(1, Math.round(at)).toLocaleString('en-US'),
    ]),
  }
  return [table]
}

function levelTable({ comparisons }: EvaluationResult): readonly ReportTable[] {
  if (comparisons.length === 0) return []
  return [
    {
      title: 'Strong beside eventual consistency; published costs at 32 callers: Cassandra 25 %, Riak 10 %',
      head: ['candidate', 'callers', 'strong ops/s', 'eventual ops/s', 'cost'],
      names: 2,
      rows: comparisons.flatMap(({ candidate, points }) =>
        points.map(({ callers, strong, eventual, cost }) => [
          candidate,
          callers.toLocaleString('en-US'),
          formatCount(strong),
          formatCount(eventual),
          wholePercent(cost),
        ]),
      ),
    },
  ]
}

function untestedTable(result: EvaluationResult): ReportTable {
  return {
    title: 'Not tested',
    head: ['This evaluation says nothing about'],
    names: 1,
    rows: untestedIn(result).map((sentence) => [sentence]),
  }
}
