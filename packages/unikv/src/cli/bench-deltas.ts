import type { Bytes, Store } from '@unikv/core'
import { benchDeltas, type DeltasResult, deltasText, openData } from '@unikv/workload'
import type { BenchDeltasRequest } from './bench-deltas-request.ts'
import { datasets, target } from './bench-target.ts'
import { exitCodes } from './exit-code.ts'
import { progress } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { driverVersions } from './versions.ts'

/** Run `unikv bench deltas`. Returns the exit code. */
export async function runBenchDeltas(request: BenchDeltasRequest, terminal: Terminal): Promise<number> {
  const { config, data, compressibility } = request
  const source = await openData({ data, seed: config.seed, compressibility })
  const abort = new AbortController()
  terminal.onInterrupt(() => abort.abort())
  const shown = progress(terminal)
  const opened: Store<Bytes>[] = []
  try {
    const result = await benchDeltas({
      config,
      stores: request.stores.map((named) => target(named, datasets.store, opened)),
      data: source,
      versions: driverVersions(request.stores),
      signal: abort.signal,
      onEvent: shown.show,
    })
    shown.end()
    terminal.out(request.json ? `${JSON.stringify(result, null, 2)}\n` : deltasText(result))
    return exitCodeFor(result, terminal)
  } catch (error) {
    shown.end()
    if (!abort.signal.aborted) throw error
    terminal.error('Interrupted before anything was measured.\n')
    return exitCodes.interrupted
  } finally {
    for (const store of opened) await store.close()
  }
}

function exitCodeFor({ status, error }: DeltasResult, terminal: Terminal): number {
  if (status === 'complete') return exitCodes.ok
  if (status === 'interrupted') {
    terminal.error('Interrupted: this is what was finished until then.\n')
    return exitCodes.interrupted
  }
  terminal.error(`unikv: ${error} This is what was finished until then.\n`)
  return exitCodes.failure
}
