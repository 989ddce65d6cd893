import { type AnyResult, runStudy, type StoreTarget } from '@unikv/bench'
import { openData } from '@unikv/bench/engine'
import { CellFolder, checkResultFolder, FolderClaim, markdownReport, textReport } from '@unikv/bench/report'
import type { Bytes, Store } from '@unikv/core'
import { AbortController, isError, wallClock } from '@unikv/core/platform'
import { datasets } from '../datasets.ts'
import { checkDisk } from '../disk-space.ts'
import { exitCodes } from '../exit-code.ts'
import { printable } from '../printable.ts'
import { repeatCommand } from '../repeat-command.ts'
import type { Terminal } from '../terminal.ts'
import { driverVersions } from '../versions.ts'
import type { BenchRequest } from './bench-request.ts'
import { cacheTargets, targets, withReaders } from './bench-target.ts'
import { KeptResults } from './kept-results.ts'
import { LiveFolder, type LiveHead } from './live/live-folder.ts'
import { progress } from './progress/progress.ts'
import type { Progress } from './progress/words.ts'
import { openedCrew } from './queue.ts'
import { keepResult, saveResults } from './save-results.ts'

const noProgress: Progress = { show: () => {}, end: () => {} }

/**
 * Run a study with its data and a progress bar; it ends early when the terminal is interrupted. The findings are printed
 * before it is written anywhere, however far it came. Returns the exit code.
 */
export async function runBench(request: BenchRequest, terminal: Terminal): Promise<number> {
  await checkResultFolder(request.study, request.out)
  await checkDisk(request.stores, request.study.leastBytes?.(request.config) ?? 0)
  const claim = await FolderClaim.take(request.out)
  try {
    return await claimedBench(request, terminal)
  } finally {
    await claim.release()
  }
}

async function claimedBench(request: BenchRequest, terminal: Terminal): Promise<number> {
  const kept = request.results === undefined ? undefined : await KeptResults.openToKeep(request.results)
  for (const warning of request.warnings) terminal.error(`unikv: ${warning}\n`)
  const abort = new AbortController()
  terminal.onInterrupt(() => abort.abort())
  const shown = request.isQuiet ? noProgress : progress(terminal, request.progress)
  const live = await LiveFolder.begin(request.out, headOf(request))
  const onEvent: Progress['show'] = (event) => {
    shown.show(event)
    live.show(event)
  }
  const opened: Store<Bytes>[] = []
  try {
    const { betweenCells } = live
    const result = await measured(request, { terminal, opened, signal: abort.signal, onEvent, betweenCells })
      .finally(shown.end)
      .catch((error: unknown) => unlessInterrupted(error, abort.signal, terminal))
    if (result === undefined) return interrupted(terminal)
    terminal.out(printable(printed(request, result, terminal.width), terminal.width))
    const isSaved = await saveResults(request, result, terminal)
    if (isSaved && hasEnded(result)) await new CellFolder(request.out).remove()
    const isKept = kept === undefined || (await keepResult(request, kept, result, terminal))
    const code = exitCodeFor(result, terminal)
    return code === exitCodes.ok && !(isSaved && isKept) ? exitCodes.failure : code
  } finally {
    await live.end()
    await kept?.close().catch((error: unknown) => tellOf(error, terminal))
    for (const store of opened) await closed(store).catch((error: unknown) => tellOf(error, terminal))
  }
}

/** A store of the user's own may throw at once, or answer no promise. */
async function closed(store: Store<Bytes>): Promise<void> {
  await store.close()
}

function headOf({ study: { name: study }, stores }: BenchRequest): LiveHead {
  return { study, stores: stores.map(({ name }) => name), startedAt: wallClock() }
}

interface Tools {
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly onEvent: Progress['show']
  readonly betweenCells: LiveFolder['betweenCells']
  /** Stores that are put here are closed in the end. */
  readonly opened: Store<Bytes>[]
}

async function measured(request: BenchRequest, { terminal, opened, ...tools }: Tools): Promise<AnyResult> {
  const { study, config, stores, caches, data, compressibility } = request
  const source = await openData({ data, seed: config.seed, compressibility })
  const crew = await openedCrew(request, terminal)
  return runStudy(study, {
    config,
    stores: await storesOf(request, opened),
    caches: await cacheTargets(caches, opened),
    data: source,
    keysFolder: request.out,
    ...(study.isResumable === true ? { cells: new CellFolder(request.out) } : {}),
    command: repeatCommand(terminal.arguments),
    versions: driverVersions([...stores, ...caches.filter((cache) => 'url' in cache)]),
    crew,
    ...tools,
  }).finally(() => crew?.close())
}

async function storesOf(
  { study, stores, readers }: BenchRequest,
  opened: Store<Bytes>[],
): Promise<StoreTarget[]> {
  const found = await targets(stores, datasets.store, opened)
  if (study.takesReaders !== true) return found
  return Promise.all(found.map((target, index) => withReaders(target, stores[index]?.url ?? '', readers)))
}

function printed({ study, format, out }: BenchRequest, result: AnyResult, width: number | undefined): string {
  if (format === 'json') return `${JSON.stringify(result, null, 2)}\n`
  if (typeof format === 'object') return study.report.formatted?.(format.own, result) ?? ''
  return format === 'text' ? `${textReport(study, result, width, out)}\n` : markdownReport(study, result)
}

/** Whether all cells were measured, so that a second start begins anew. */
function hasEnded({ status }: AnyResult): boolean {
  return status !== 'interrupted' && status !== 'failed'
}

/** An error that came of itself is told, whether or not somebody pressed Ctrl-C meanwhile. */
function unlessInterrupted(error: unknown, { aborted, reason }: AbortSignal, terminal: Terminal): undefined {
  if (aborted && error === reason) return
  if (!aborted || !isError(error) || error.cause !== reason) throw error
  terminal.error(`unikv: ${error.message}\n`)
}

function interrupted(terminal: Terminal): number {
  terminal.error('Interrupted before a run had ended; no results were written.\n')
  return exitCodes.interrupted
}

/** Results are there by then: a store that does not close changes nothing of them. */
function tellOf(error: unknown, terminal: Terminal): void {
  terminal.error(`unikv: A store did not close: ${isError(error) ? error.message : String(error)}\n`)
}

function exitCodeFor({ status, error }: AnyResult, terminal: Terminal): number {
  if (status === 'complete') {
    if (error !== null) terminal.error(`unikv: ${error}\n`)
    return exitCodes.ok
  }
  if (status === 'interrupted') {
    if (error !== null) terminal.error(`unikv: ${error}\n`)
    terminal.error('Interrupted: the results hold the measurements finished so far.\n')
    return exitCodes.interrupted
  }
  if (status === 'crossed') {
    terminal.error(`unikv: ${error}\n`)
    return exitCodes.thresholdCrossed
  }
  terminal.error(`unikv: ${error} The results hold the measurements finished so far.\n`)
  return status === 'invalid' ? exitCodes.runInvalid : exitCodes.failure
}
