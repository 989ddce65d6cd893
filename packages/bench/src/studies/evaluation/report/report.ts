import { escapeHtml } from '../../../report/html.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import { curveRows } from '../../sweep/report/report.ts'
import { sweep } from '../../sweep/sweep.ts'
import type { EvaluationConfig, Scenario } from '../config.ts'
import type { EvaluationResult } from '../result.ts'
import { costBasis, costMethod } from './costs.ts'
import { findings } from './findings.ts'
import { plots, sweptIn } from './plots.ts'
import { pageTables, summaryTables } from './summary-tables.ts'

/** The report of an evaluation. */
export const report: StudyReport<EvaluationResult> = {
  title: 'Evaluation',
  heading: ({ config }) => [config.name, config.question].filter((part) => part !== null).join(': '),
  sections: [
    { id: 'throughput', title: 'Throughput', lead: 'Operations a second over the number of callers.' },
    { id: 'latency', title: 'Latency', lead: 'The time from the start of an operation to its end.' },
    {
      id: 'consistency',
      title: 'Consistency',
      lead: 'Operations a second with a strong and with an eventual level.',
    },
  ],
  findings,
  ...viewed({ rows: ({ curves }) => curveRows(curves, 'concurrency'), summary: summaryTables, plots }),
  pageTables,
  setup,
  method,
}

function setup(result: EvaluationResult): readonly SetupLine[] {
  const { name, question } = result.config
  return [
    ['evaluation', name],
    ...(question === null ? [] : [['question', question] as const]),
    ...sweep.report.setup(sweptIn(result)),
  ]
}

function method(result: EvaluationResult): string {
  const { prices } = result.config
  const costs = prices === undefined ? '' : `<p>${escapeHtml(`${costBasis(prices)} ${costMethod}`)}</p>`
  return `${scenariosHtml(result.config)}${costs}
<p>Candidates were first screened by what is known about them: one that lacks a requirement for certain is out, and what is not known is told. The others were measured together. A candidate ranks by the weights of the scenarios that hold for it; among equals the geometric mean of its highest throughput in each load decides, beside the best of that load. The method is that of LEAP4BD (Klein and others, 2015), which compares the shapes of curves rather than single numbers: <em>linear</em>, <em>saturation</em> (throughput levels off), <em>inflection</em> (it falls beyond a highest point) and <em>discontinuity</em> (it jumps).</p>
${sweep.report.method(sweptIn(result))}`
}

function scenariosHtml({ scenarios }: EvaluationConfig): string {
  const told = scenarios.flatMap((one) => {
    const words = wordsOf(one)
    return words === '' ? [] : [`<li><strong>${escapeHtml(one.name)}.</strong> ${escapeHtml(words)}</li>`]
  })
  return told.length === 0
    ? ''
    : `<p>The scenarios in the words of the document:</p><ul>${told.join('')}</ul>`
}

function wordsOf({ stimulus, environment, response }: Scenario): string {
  return [stimulus, environment, response].filter((part) => part !== null).join('; ')
}
