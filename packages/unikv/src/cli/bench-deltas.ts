import { benchDeltas, deltasText } from '@unikv/workload'
import type { BenchDeltasRequest } from './bench-deltas-request.ts'
import { runBench } from './bench-run.ts'
import { datasets, target } from './bench-target.ts'
import type { Terminal } from './terminal.ts'
import { driverVersions } from './versions.ts'

/** Run `unikv bench deltas`. Returns the exit code. */
export function runBenchDeltas(request: BenchDeltasRequest, terminal: Terminal): Promise<number> {
  const { config, json } = request
  return runBench(
    request,
    terminal,
    ({ source, signal, onEvent, opened }) =>
      benchDeltas({
        config,
        stores: request.stores.map((named) => target(named, datasets.store, opened)),
        data: source,
        versions: driverVersions(request.stores),
        signal,
        onEvent,
      }),
    (result) => terminal.out(json ? `${JSON.stringify(result, null, 2)}\n` : deltasText(result)),
  )
}
