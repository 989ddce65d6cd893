import type { SweepResult } from '../result.ts'

/** How it was measured, as HTML. */
export function method({ config }: SweepResult): string {
  const { over, runs } = config
  const law =
    over.field === 'concurrency'
      ? '<p>The Universal Scalability Law is X(N) = γN / (1 + α(N − 1) + βN(N − 1)): γ is the throughput of one caller, α the share of the work that cannot run at once (contention), β the cost of keeping each pair of callers consistent (coherence). It is fitted to every run by least squares, and ± is the standard error. A peak marked * lies beyond the measured callers, so nothing confirms it.</p>'
      : ''
  return `<p>The records were loaded once for each set that the sweep needs. Each of ${runs} ${runs === 1 ? 'run' : 'runs'} then went through all values, and at each value through the stores and loads in turn. Each caller waits for its answer before its next operation. This process shares the machine with what it measures: with many callers it may be the limit itself, which <code>--threads</code> shows.</p>
${law}<p>Rates are of operations that ended within the time of a run. ± is the half-width of the 95 % confidence interval of the mean, by Student’s t over the runs. Percentiles are of all runs together, and are left out where fewer than ten operations lie beyond them. Times of failures are in no figure.</p>`
}
