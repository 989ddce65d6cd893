import { formatDuration, formatExact, formatMs } from '../../../report/words.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import type { OverheadResult } from '../config.ts'
import { nameOf } from '../layers.ts'
import { findings } from './findings.ts'
import { plots, summary } from './views.ts'

/** The report of the study. */
export const report: StudyReport<OverheadResult> = {
  title: 'Overhead',
  sections: [
    {
      id: 'times',
      title: 'Times',
      lead: 'Medians of the native client and of the other sides over the same server.',
    },
  ],
  findings,
  ...viewed({ rows: ({ rows }) => rows, summary, plots }),
  setup,
  method,
}

function setup({ config }: OverheadResult): readonly SetupLine[] {
  const { volumes, callers, valueSize, runs, durationMs, warmupMs, layers, beside, budgetMs } = config
  return [
    ['records', volumes.map(formatExact).join(', ')],
    ['values', `${formatExact(valueSize)} bytes`],
    ['callers', String(callers)],
    ...(budgetMs === null ? [] : [['budget', formatDuration(budgetMs)] as const]),
    ...(beside.length === 0 ? [] : [['beside', beside.join(', ')] as const]),
    ...(layers.length === 0 ? [] : [['layers', layers.map(nameOf).join(', ')] as const]),
    [
      'runs',
      `${runs} of ${formatMs(durationMs)} for each operation and side, after ${formatMs(warmupMs)} that do not count`,
    ],
  ]
}

function method(): string {
  return [
    '<p>Each side has a process and data of its own on the same server. They take turns, operation by operation, and another one begins in each run.',
    'The native side runs the statements that a program without unikv would have, by the driver that unikv uses and with its connections:',
    'prepared where the driver prepares, on a table of keys and values. unikv keeps a version and an expiry with each value besides.',
    'The side <i>layers</i> is unikv with the layers named; over <i>json</i> and <i>structured</i> its values are objects of ten fields that are as long as text.',
    'Other libraries have texts as values, and are those of the project in which the command ran.</p>',
    '<p>What a side adds is the difference of its median to that of the native client in a run: the middle one of all runs, and its 95 % interval by the sign test. The study of 2018 compares means.',
    'An insert writes a new key, a delete removes it again, so the number of records stays the same.',
    'A search finds the first ten JSON documents of a group of a hundred, in as many documents of another table: by <i>find</i>, and by a statement with the same condition, order and limit. Neither has an index.</p>',
  ].join(' ')
}
