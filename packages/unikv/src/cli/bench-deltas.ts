import { benchDeltas, deltasMarkdown, deltasText } from '@unikv/workload'
import type { BenchDeltasRequest } from './bench-deltas-request.ts'
import { runBench } from './bench-run.ts'
import { targets } from './bench-target.ts'
import { datasets } from './datasets.ts'
import { repeatCommand } from './repeat-command.ts'
import type { Terminal } from './terminal.ts'
import { driverVersions } from './versions.ts'

/** Run `unikv bench deltas`. Returns the exit code. */
export function runBenchDeltas(request: BenchDeltasRequest, terminal: Terminal): Promise<number> {
  const { config, stores } = request
  return runBench(request, terminal, {
    measure: async ({ source, signal, onEvent, opened }) =>
      benchDeltas({
        config,
        stores: await targets(stores, datasets.store, opened),
        data: source,
        command: repeatCommand(terminal.arguments),
        versions: driverVersions(stores),
        signal,
        onEvent,
      }),
    print: (result, format) =>
      format === 'text' ? deltasText(result, terminal.width) : deltasMarkdown(result),
  })
}
