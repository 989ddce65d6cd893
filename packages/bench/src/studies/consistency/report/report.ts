import { escapeHtml } from '../../../report/html.ts'
import { formatExact, formatLength, listed } from '../../../report/words.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import type { ConsistencyResult } from '../result.ts'
import { findings } from './findings.ts'
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

/** How it was measured, as HTML. */
function method({ config, commands }: ConsistencyResult): string {
  const { disturbance, runs, parts, horizonMs } = config
  return [
    `<p>Each of ${runs} ${runs === 1 ? 'run' : 'runs'} went through all measurements; in each of them the levels took turns to be first, so that a busy machine slowed them alike. A level is a part of each call. Such calls are not merged into batches.</p>`,
    ...(parts.includes('throughput')
      ? [
          '<p>Throughput: each caller waits for its answer before its next operation. Rates are of operations that ended within the time of a run. ± is the half-width of the 95 % confidence interval of the mean, by Student’s t over the runs. The cost of a level comes from the paired test of runs: the geometric mean of their ratios, and its 95 % interval. Percentiles are of all runs together, and are left out where fewer than ten operations lie beyond them.</p>',
        ]
      : []),
    ...(parts.includes('stale')
      ? [
          `<p>Stale reads: one connection writes numbered values at a steady rate. When a write is acknowledged, each reader reads the key at every delay, by a connection of its own. A read is stale if it began after the acknowledgement and gave an older value, or none. Times count from the acknowledgement to the begin of the read, as this process saw them; a read that began late counts at the last delay before it began. A reader that does not see the write reads again and again, at most ${horizonMs} ms long, so that the time until it sees it is known to about 3 %; those further reads count in no share. A write that was not seen by then is in the quantiles as later than that. A reader went back in time if it saw the write, and then the older value again.</p>`,
          '<p>Shares have Wilson’s 95 % interval. None of n is not zero: it leaves up to 3 / n (the rule of three).</p>',
        ]
      : []),
    ...(disturbance === null
      ? []
      : [
          `<p>Disturbed: in each run all was measured again after <code>${escapeHtml(disturbance.disturb)}</code>, until <code>${escapeHtml(disturbance.undo)}</code>. The next run began when all readers saw a new write. ${commands.map(({ kind, output }) => printed(kind, output)).join(' ')}</p>`,
        ]),
  ].join('\n')
}

function printed(kind: string, output: string): string {
  return output === ''
    ? `The command of --${kind} printed nothing.`
    : `The command of --${kind} printed: <code>${escapeHtml(output)}</code>`
}
