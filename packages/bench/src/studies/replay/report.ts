import { drivenReport } from '../../driven/report/report.ts'
import { mixOf } from '../../operations/mix.ts'
import { formatCallers, formatDuration, formatExact, percent } from '../../report/words.ts'
import type { SetupLine, StudyReport } from '../../study/study-report.ts'
import type { ReplayResult } from './config.ts'

/** The report of the study. */
export const report: StudyReport<ReplayResult> = { title: 'Replay', ...drivenReport, setup, method }

/** The trace and how it was replayed. */
function setup({ config }: ReplayResult): readonly SetupLine[] {
  const { trace, start, runs } = config
  const shares = mixOf(trace).map(([name, count]) => `${percent(count / trace.requests)} % ${name}`)
  const [least, most] = trace.sizes
  return [
    ['trace', `${trace.file}: ${formatExact(trace.requests)} requests, ${shares.join(', ')}`],
    [
      'keys',
      `${formatExact(trace.keys)}, bytes of a value: ${least === most ? formatExact(least) : `${formatExact(least)} to ${formatExact(most)}`}`,
    ],
    ['speed', speedText(config)],
    ['start', start === 'empty' ? 'empty' : `${formatExact(trace.startRecords)} records loaded`],
    ['misses', config.onMiss === 'fill' ? 'filled, in the time of the read' : 'counted'],
    ['runs', String(runs)],
  ]
}

function speedText({ speed, concurrency, maxInFlight, trace }: ReplayResult['config']): string {
  if (speed === 'max') return `as fast as ${formatCallers(concurrency)} can`
  const length = formatDuration((trace.lengthMs ?? 0) / speed)
  return `${speed} × that of the trace, ${length}; at most ${maxInFlight} in flight, others wait`
}

/** How it was measured, as HTML. */
function method({ config }: ReplayResult): string {
  const { speed, start, onMiss, runs } = config
  const loop =
    speed === 'max'
      ? 'Callers began the requests in the order of the trace, each when it had its answer; two requests of one key may have overlapped. A stall that users would feel is hardly to be seen here: replay at a speed to see it.'
      : 'Requests began at the times of the trace, whatever the store did; those of the same time were spread evenly over the resolution of its clock. Response times count from the time of the trace, service times from the time when the request began.'
  const begin =
    start === 'empty'
      ? 'began with an empty store'
      : 'began with the records that the trace reads or deletes before it has written them'
  const misses =
    onMiss === 'fill' ? ' A read that found nothing wrote the value, and its time holds that write.' : ''
  return `<p>${runs === 1 ? 'The run' : `Each of ${runs} runs`} ${begin}. ${loop}${misses}</p>
<p>± is the half-width of the 95 % confidence interval of the mean, by Student’s t over the runs. Percentiles are of all runs together, and are left out where fewer than ten requests lie beyond them. Failures are counted, and their times are in no figure; reads of keys that were not there stand apart from successes.</p>`
}
