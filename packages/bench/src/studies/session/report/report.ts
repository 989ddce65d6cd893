import { beginsOf, plots } from '../../../driven/report/plots.ts'
import { drivenReport } from '../../../driven/report/report.ts'
import { drivenRows } from '../../../driven/rows.ts'
import type { Figure, FigureMoment } from '../../../report/figure.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount } from '../../../report/words.ts'
import type { StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import type { SessionResult } from '../result.ts'
import { failedMonitors, monitorPlot, monitorRows } from './monitors.ts'
import { dataOf, setup } from './setup.ts'
import { suitePlots, suiteRows } from './suite-plots.ts'
import { jobTable, sessionTables } from './tables.ts'

const own = viewed<SessionResult>({
  rows: (result) => [...suiteRows(result), ...drivenRows(result), ...monitorRows(result)],
  summary: () => [],
  plots: (result) => [...suitePlots(result), ...plots(result), monitorPlot(result)],
})

/** The report of the study. */
export const report: StudyReport<SessionResult> = {
  ...drivenReport,
  title: 'Sessions',
  sections: [
    {
      id: 'suite',
      title: 'Jobs side by side',
      lead: 'Throughput and times over the parameter in which jobs differ, with a curve for each combination of the others.',
    },
    ...drivenReport.sections,
  ],
  formats: [],
  formatted: () => '',
  findings: (result) => [
    ...drivenReport.findings(result),
    ...inconsistencies(result),
    ...loaded(result),
    ...failedEvents(result),
    ...failedMonitors(result),
  ],
  heading: ({ config, jobs }) =>
    jobs.length > 1 ? `Sessions: ${jobs.length} jobs` : `Sessions: ${config.name}`,
  pageTables: (result) => [
    ...(result.jobs.length > 1 ? [jobTable(result)] : ownRate(result)),
    ...(drivenReport.pageTables?.(result) ?? []),
    ...sessionTables(result),
  ],
  summary: (result) => [...ownRate(result), ...drivenReport.summary(result), ...sessionTables(result)],
  rows: own.rows,
  tables: own.tables,
  besides: own.besides,
  figures: (result) => withEvents(own.figures(result), result),
  files: ({ config }) => new Map(config.document === '' ? [] : [['document.xml', config.document]]),
  dataOf,
  setup,
  method,
}

/** The rate of a load is of records, where the tables of driven stores have its operations, which are batches. */
function ownRate(result: SessionResult): readonly ReportTable[] {
  return result.config.loads === null ? [] : [jobTable(result)]
}

function inconsistencies({ jobs }: SessionResult): readonly string[] {
  return jobs.flatMap(({ name, problems }) => {
    if (problems === null) return []
    const [first = '', ...others] = problems
    if (problems.length === 0) return [`${name}: the data is consistent in the end.`]
    return [
      `${name}: the data is not consistent: ${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}`,
    ]
  })
}

/** Records a second: the operations of a load are batches. */
function loaded({ config, jobs }: SessionResult): readonly string[] {
  const { loads, operations } = config
  if (loads === null || operations === null || jobs.length > 1) return []
  return jobs.map(
    ({ name, rate }) =>
      `${name}: ${formatCount(rate.mean)} records a second were loaded, ${operations.batch} in each call.`,
  )
}

function failedEvents({ jobs }: SessionResult): readonly string[] {
  return jobs.flatMap(({ name, runs }) =>
    runs.flatMap(({ run, events }) =>
      events.flatMap(({ command, problem }) =>
        problem === null ? [] : [`${name}: in run ${run} the event "${command}" ${problem}.`],
      ),
    ),
  )
}

const statistics =
  'Rates are of what ended within the time of a run; operations that ended later count in the times alone. ± is the half-width of the 95 % confidence interval of the mean, by Student’s t over the runs. Percentiles are of all runs together.'

function method({ config }: SessionResult): string {
  if (config.loads !== null)
    return `<p>Each of ${config.runs} runs loaded its records into an empty place, by callers that each wait for their answer; an operation is a batch of records. The time of a run is from its first batch to the end of its last one.</p>
<p>${statistics}</p>`
  if (config.operations !== null)
    return `<p>The records were loaded first, then callers, each of which waits for its answer, did operations for a warm-up and ${config.runs} measured runs.</p>
<p>${statistics}</p>`
  return `<p>The data was made first, then sessions ran for a warm-up and ${config.runs} measured runs. A session draws its next interaction by the weights of its state; a new session follows each that ends. An interaction is measured from its start to its answer; think times and waiting for a caller are not part of it. Interactions that no session came to are left out.</p>
<p>A transaction that lost a conflict runs again within its interaction. ${statistics}</p>`
}

/** Figures over time show when commands of events were run. */
function withEvents(figures: readonly Figure[], result: SessionResult): readonly Figure[] {
  const moments = eventMoments(result)
  if (moments.length === 0) return figures
  return figures.map((figure) =>
    figure.group === 'time'
      ? { ...figure, note: `${figure.note} Dotted lines: commands of events.`, moments }
      : figure,
  )
}

/** Events on the axis of the figures over time, in seconds: it has all runs one after the other. */
function eventMoments({ jobs, targets }: SessionResult): readonly FigureMoment[] {
  const begins = beginsOf(targets)
  return jobs.flatMap(({ runs }) =>
    runs.flatMap(({ run, events }) =>
      events.map(({ atMs, command }) => ({ at: (begins.get(run) ?? 0) + atMs / 1_000, name: command })),
    ),
  )
}
