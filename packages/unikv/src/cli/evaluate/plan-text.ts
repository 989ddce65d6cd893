import { formatCallers, formatDuration, formatExact } from '@unikv/bench/words'
import { type Section, sectionsText } from '../columns.ts'
import type { EvaluationRequest } from './evaluate.ts'
import { evaluation } from './study.ts'

const states = {
  measured: 'will be measured',
  out: 'screened out',
  unreachable: 'not reached',
  named: 'facts only',
} as const

/** The plan of an evaluation, for `--dry-run`. */
export function planText({ config, stores }: EvaluationRequest, width: number | undefined): string {
  const { candidates, sweep, scenarios, name } = config
  const targets = stores.map((one) => ({ ...one, store: undefined as never }))
  const ms = evaluation.leastMs({ config, stores: targets, caches: [], points: [] })
  const { loads, over, runs, workload } = sweep
  const sections: Section[] = [
    name,
    {
      head: ['candidate', 'store', '', 'why'],
      rows: candidates.map(({ name: own, title, state, reasons }) => [
        own,
        title,
        states[state],
        reasons.join(' '),
      ]),
    },
    `${formatExact(workload.records)} records are loaded into ${listedCount(stores.length, 'store')}. Then ${listedCount(loads.length, 'load')} (${loads.map((one) => one.name).join(', ')}) ${loads.length === 1 ? 'is' : 'are'} measured with ${over.values.join(', ')} ${over.values.at(-1) === 1 ? 'caller' : 'callers'}, ${listedCount(runs, 'run')} each.`,
    `${listedCount(scenarios.length, 'scenario')} will be judged: ${scenarios.map((one) => `${one.name} (${one.measure.text}, ${one.load}, ${formatCallers(one.callers)})`).join('; ') || 'none'}.`,
    `Measuring takes ${sweep.operations === null ? '' : 'up to '}${formatDuration(ms)}, and loading comes on top. No record was written yet.`,
  ]
  return sectionsText(sections, width)
}

function listedCount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
