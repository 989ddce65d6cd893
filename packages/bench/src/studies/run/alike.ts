import type { RunConfig } from './config.ts'

/** The facts of a configuration in which results must agree to be compared, by words for them. */
export function alike(config: RunConfig): Readonly<Record<string, unknown>> {
  const { workload, rate, concurrency, threads, workers, arrivals, durationMs, operations, seed } = config
  return {
    mix: workload.mix,
    'module of operations': workload.module?.sha256 ?? null,
    'number of records': workload.records,
    'law of keys': workload.keys,
    'names of keys': workload.keyNames,
    'lengths of values': workload.values,
    'lengths of scans': workload.scan,
    'size of batches': workload.batch,
    'check of reads': workload.check,
    concurrency: rate === null ? concurrency : null,
    threads,
    workers,
    phases: config.phases,
    'records of a table': config.table !== null,
    'records brought back': config.reset,
    rate,
    arrivals: rate === null ? null : arrivals,
    'length of runs': [durationMs, operations],
    seed,
  }
}
