import { drivenReport } from '../../../driven/report/report.ts'
import { mixOf } from '../../../operations/workload.ts'
import { percent } from '../../../report/words/percent.ts'
import { formatCallers, formatDuration, formatExact } from '../../../report/words/units.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import type { ReplayResult } from '../result.ts'
import { method } from './method.ts'

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
