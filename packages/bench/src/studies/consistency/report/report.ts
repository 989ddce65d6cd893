import { viewed } from '../../../cube/viewed.ts'
import { listed } from '../../../report/words/listed.ts'
import { formatExact, formatLength } from '../../../report/words/units.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import type { ConsistencyResult } from '../result.ts'
import { findings } from './findings.ts'
import { method } from './method.ts'
import { rows } from './rows.ts'
import { plots, summary } from './views.ts'

/** The report of the study. */
export const report: StudyReport<ConsistencyResult> = {
  title: 'Consistency',
  sections: [
    { id: 'throughput', title: 'Throughput', lead: 'Operations a second at each level.' },
    { id: 'latency', title: 'Latency', lead: 'The time from the start of an operation to its end.' },
    {
      id: 'stale',
      title: 'Stale reads',
      lead: 'Reads that began after a write was acknowledged, and did not see it.',
    },
  ],
  findings,
  ...viewed({ rows, summary, plots }),
  setup,
  method,
}

function setup({ config, levels }: ConsistencyResult): readonly SetupLine[] {
  const { parts, callers, records, valueSize, readShare, durationMs, probes, probeRate, delaysMs } = config
  return [
    ...levels.map((own): SetupLine => [`levels of ${own.store}`, levelsText(own)]),
    ...levels.map(
      ({ store, readers }): SetupLine => [
        `readers of ${store}`,
        readers.map(({ name, url }) => `${name} (${url})`).join(', '),
      ],
    ),
    ['values', `${formatExact(valueSize)} bytes`],
    ...(parts.includes('throughput')
      ? [
          [
            'throughput',
            `${listed(callers.map(String))} ${callers.length === 1 && callers[0] === 1 ? 'caller' : 'callers'}, ${readShare} % reads of ${formatExact(records)} records, ${formatLength(durationMs)}`,
          ] as const,
        ]
      : []),
    ...(parts.includes('stale')
      ? [
          [
            'stale reads',
            `${formatExact(probes)} writes a run, ${formatExact(probeRate)} a second; reads after ${delaysMs.map((ms) => formatExact(ms)).join(', ')} ms`,
          ] as const,
        ]
      : []),
    ...(config.disturbance === null
      ? []
      : ([
          ['disturbed by', config.disturbance.disturb],
          ['undone by', config.disturbance.undo],
        ] as const)),
    ['runs', String(config.runs)],
  ]
}

/** Those that were measured with their meaning, then the names of the others. */
function levelsText({ declared, meanings, pairs }: ConsistencyResult['levels'][number]): string {
  if (declared.length === 0) return 'none declared'
  const isMeasured = (level: string): boolean => pairs.some((pair) => pair.split(/\W/).includes(level))
  const others = declared.filter((level) => !isMeasured(level))
  return [
    ...declared.filter(isMeasured).map((level) => {
      const meaning = meanings[level]
      return meaning === undefined ? level : `${level} is ${meaning}`
    }),
    ...(others.length === 0 ? [] : [`also declared: ${others.join(', ')}`]),
  ].join('; ')
}
