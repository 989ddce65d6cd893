import type { ReplayResult } from '../result.ts'

/** How it was measured, as HTML. */
export function method({ config }: ReplayResult): string {
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
