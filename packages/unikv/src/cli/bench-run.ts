import type { Bytes, Store } from '@unikv/core'
import { AbortController, isError } from '@unikv/core/platform'
import { type DataSource, openData, type RunResult } from '@unikv/workload'
import { exitCodes } from './exit-code.ts'
import { type Progress, progress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** How results are printed. */
export type OutputFormat = 'text' | 'json' | 'markdown'

/** What every bench of the command line is asked for. */
export interface BenchRequest {
  readonly config: { readonly seed: number }
  readonly data: readonly string[]
  readonly compressibility: number | undefined
  readonly format: OutputFormat
  /** No progress. */
  readonly isQuiet: boolean
}

/** What a bench works with. */
export interface BenchTools {
  readonly source: DataSource
  readonly signal: AbortSignal
  readonly onEvent: Progress['show']
  /** Stores that are put here are closed in the end. */
  readonly opened: Store<Bytes>[]
}

/** What a bench does, and what becomes of its result. */
export interface Bench<R extends RunResult> {
  readonly measure: (tools: BenchTools) => Promise<R>
  /** The result as text or Markdown. */
  readonly print: (result: R, format: 'text' | 'markdown') => string
  /** Write it to where it shall stay. Returns whether that went well. */
  readonly save?: (result: R) => Promise<boolean>
}

const noProgress: Progress = { show: () => {}, end: () => {} }

/**
 * Run a bench with its data and a progress bar; it ends early when the terminal is interrupted. What it found is printed
 * before it is written anywhere, however far it came. Returns the exit code.
 */
export async function runBench<R extends RunResult>(
  request: BenchRequest,
  terminal: Terminal,
  bench: Bench<R>,
): Promise<number> {
  const { config, data, compressibility } = request
  const source = await openData({ data, seed: config.seed, compressibility })
  const abort = new AbortController()
  terminal.onInterrupt(() => abort.abort())
  const shown = request.isQuiet ? noProgress : progress(terminal)
  const opened: Store<Bytes>[] = []
  try {
    const result = await bench
      .measure({ source, signal: abort.signal, onEvent: shown.show, opened })
      .finally(shown.end)
      .catch((error: unknown) => unlessInterrupted(error, abort.signal, terminal))
    if (result === undefined) return interrupted(terminal)
    terminal.out(printed(result, request.format, bench))
    const isSaved = (await bench.save?.(result)) ?? true
    const code = exitCodeFor(result, terminal)
    return code === exitCodes.ok && !isSaved ? exitCodes.failure : code
  } finally {
    for (const store of opened) await store.close().catch((error: unknown) => tellOf(error, terminal))
  }
}

/** An error that came of itself is told, whether or not somebody pressed Ctrl-C meanwhile. */
function unlessInterrupted(error: unknown, { aborted, reason }: AbortSignal, terminal: Terminal): undefined {
  if (aborted && error === reason) return
  if (!aborted || !isError(error) || error.cause !== reason) throw error
  terminal.error(`unikv: ${error.message}\n`)
}

function interrupted(terminal: Terminal): number {
  terminal.error('Interrupted before anything was measured beyond the warm-up; nothing was written.\n')
  return exitCodes.interrupted
}

function printed<R extends RunResult>(result: R, format: OutputFormat, { print }: Bench<R>): string {
  return format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : print(result, format)
}

/** Results are there by then: a store that does not close changes nothing of them. */
function tellOf(error: unknown, terminal: Terminal): void {
  terminal.error(`unikv: A store did not close: ${isError(error) ? error.message : String(error)}\n`)
}

function exitCodeFor({ status, error }: RunResult, terminal: Terminal): number {
  if (status === 'complete') return exitCodes.ok
  if (status === 'interrupted') {
    if (error !== null) terminal.error(`unikv: ${error}\n`)
    terminal.error('Interrupted: the results hold what was finished until then.\n')
    return exitCodes.interrupted
  }
  terminal.error(`unikv: ${error} The results hold what was finished until then.\n`)
  return status === 'invalid' ? exitCodes.runInvalid : exitCodes.failure
}
