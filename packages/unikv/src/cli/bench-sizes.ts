import { join } from 'node:path'
import {
  benchSizes,
  type CacheTarget,
  checkResultFolder,
  markdownReport,
  type SizesResult,
  textReport,
} from '@unikv/workload'
import { type BenchTools, runBench } from './bench-run.ts'
import type { BenchSizesRequest } from './bench-sizes-request.ts'
import { target, targets } from './bench-target.ts'
import { datasets } from './datasets.ts'
import { repeatCommand } from './repeat-command.ts'
import { saveResults } from './save-results.ts'
import type { Terminal } from './terminal.ts'
import { driverVersions } from './versions.ts'

/** Run `unikv bench sizes`. Returns the exit code. */
export async function runBenchSizes(request: BenchSizesRequest, terminal: Terminal): Promise<number> {
  await checkResultFolder(request.out)
  return runBench(request, terminal, {
    measure: (tools) => measure(request, terminal, tools),
    print: (result, format) =>
      format === 'text' ? `${textReport(result, terminal.width)}\n` : markdownReport(result),
    save: (result) => save(request, result, terminal),
  })
}

async function measure(
  request: BenchSizesRequest,
  terminal: Terminal,
  tools: BenchTools,
): Promise<SizesResult> {
  const { config, stores, caches } = request
  const { source, signal, onEvent, opened } = tools
  return benchSizes({
    config,
    stores: await targets(stores, datasets.store, opened),
    caches: await cachesOf(request, opened),
    data: source,
    command: repeatCommand(terminal.arguments),
    versions: driverVersions([...stores, ...caches.filter((cache) => 'url' in cache)]),
    signal,
    onEvent,
  })
}

async function cachesOf({ caches }: BenchSizesRequest, opened: BenchTools['opened']): Promise<CacheTarget[]> {
  const found: CacheTarget[] = []
  for (const cache of caches) {
    if ('url' in cache) found.push({ kind: 'remote', ...(await target(cache, datasets.cache, opened)) })
    else found.push({ kind: 'in-process', ...cache })
  }
  return found
}

/** Where the report is belongs to the text; programs that read the other formats find it on stderr. */
async function save(request: BenchSizesRequest, result: SizesResult, terminal: Terminal): Promise<boolean> {
  const { out, format, isQuiet } = request
  const isSaved = await saveResults(out, result, terminal)
  const where = `Report: ${join(out, 'report.html')}\n`
  if (isSaved && format === 'text') terminal.out(where)
  else if (isSaved && !isQuiet) terminal.error(where)
  return isSaved
}
