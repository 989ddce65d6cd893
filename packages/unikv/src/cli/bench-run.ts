import type { Bytes, Store } from '@unikv/core'
import { type DataSource, openData, type RunResult } from '@unikv/workload'
import { exitCodes } from './exit-code.ts'
import { type Progress, progress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** What every bench of the command line is asked for. */
interface BenchRequest {
  readonly config: { readonly seed: number }
  readonly data: readonly string[]
  readonly compressibility: number | undefined
}

/** What a bench works with. */
export interface BenchTools {
  readonly source: DataSource
  readonly signal: AbortSignal
  readonly onEvent: Progress['show']
  /** Stores that are put here are closed in the end. */
  readonly opened: Store<Bytes>[]
}

/**
 * Run a bench with its data and a progress bar; it ends early when the terminal is interrupted. `show` prints what it found,
 * however far it came. Returns the exit code.
 */
export async function runBench<R extends RunResult>(
  { config, data, compressibility }: BenchRequest,
  terminal: Terminal,
  bench: (tools: BenchTools) => Promise<R>,
  show: (result: R) => Promise<void> | void,
): Promise<number> {
  const source = await openData({ data, seed: config.seed, compressibility })
  const abort = new AbortController()
  terminal.onInterrupt(() => abort.abort())
  const shown = progress(terminal)
  const opened: Store<Bytes>[] = []
  try {
    const result = await bench({ source, signal: abort.signal, onEvent: shown.show, opened })
    shown.end()
    await show(result)
    return exitCodeFor(result, terminal)
  } catch (error) {
    shown.end()
    if (!abort.signal.aborted) throw error
    terminal.error('Interrupted before anything was measured; nothing was written.\n')
    return exitCodes.interrupted
  } finally {
    for (const store of opened) await store.close()
  }
}

function exitCodeFor({ status, error }: RunResult, terminal: Terminal): number {
  if (status === 'complete') return exitCodes.ok
  if (status === 'interrupted') {
    terminal.error('Interrupted: the results hold what was finished until then.\n')
    return exitCodes.interrupted
  }
  terminal.error(`unikv: ${error} The results hold what was finished until then.\n`)
  return exitCodes.failure
}
