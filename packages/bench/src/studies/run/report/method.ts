import { settings } from '../phases/setting.ts'
import type { RunResult } from '../result.ts'

const closed =
  'Each caller waits for its answer before its next operation, so a slow store is asked less often: a stall that users of a fixed rate would feel is hardly to be seen here. Give a rate (<code>--rate</code>) to see it.'
const open =
  'Operations at a rate begin by a schedule that never waits for the store. Response times count from the time that the schedule intended, service times from the time when the operation began; both are shown, and neither is corrected afterwards.'

/** How it was measured, as HTML. */
export function method({ config, targets }: RunResult): string {
  const rates = settings(config).map(({ loop: { rate } }) => rate)
  const runs = Math.max(0, ...targets.map((target) => target.runs.length))
  const loop = [
    ...(rates.includes(null) ? [closed] : []),
    ...(rates.some((rate) => rate !== null) ? [open] : []),
  ].join(' ')
  return `<p>Each store was loaded, then warmed up, then measured ${runs} ${runs === 1 ? 'time' : 'times'}, in turn with the others. ${loop}</p>
<p>Rates are of operations that ended within the time of a run; those that ended later count in the times alone. ± is the half-width of the 95 % confidence interval of the mean, by Student’s t over the runs. Percentiles are of all runs together, and are left out where fewer than ten operations lie beyond them. Failures are counted, and their times are in no figure; reads of keys that were not there, and writes that lost against another one, stand apart from successes.</p>`
}
