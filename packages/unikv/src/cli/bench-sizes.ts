import { join } from 'node:path'
import {
  benchSizes,
  type CacheTarget,
  checkResultFolder,
  textReport,
  writeResultFolder,
} from '@unikv/workload'
import { type BenchTools, runBench } from './bench-run.ts'
import type { BenchSizesRequest } from './bench-sizes-request.ts'
import { datasets, target } from './bench-target.ts'
import type { Terminal } from './terminal.ts'
import { driverVersions } from './versions.ts'

/** Run `unikv bench sizes`. Returns the exit code. */
export async function runBenchSizes(request: BenchSizesRequest, terminal: Terminal): Promise<number> {
  const { config, out } = request
  await checkResultFolder(out)
  return runBench(
    request,
    terminal,
    ({ source, signal, onEvent, opened }) =>
      benchSizes({
        config,
        stores: request.stores.map((named) => target(named, datasets.store, opened)),
        caches: cachesOf(request, opened),
        data: source,
        versions: driverVersions([...request.stores, ...request.caches.filter((cache) => 'url' in cache)]),
        signal,
        onEvent,
      }),
    async (result) => {
      await writeResultFolder(out, result)
      terminal.out(`${textReport(result)}\nReport: ${join(out, 'report.html')}\n`)
    },
  )
}

function cachesOf({ caches }: BenchSizesRequest, opened: BenchTools['opened']): CacheTarget[] {
  return caches.map((cache) =>
    'url' in cache
      ? { kind: 'remote', ...target(cache, datasets.cache, opened) }
      : { kind: 'in-process', ...cache },
  )
}
