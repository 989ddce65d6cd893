import { join } from 'node:path'
import type { Bytes, Store } from '@unikv/core'
import {
  benchSizes,
  type CacheTarget,
  checkResultFolder,
  openData,
  type SizesResult,
  textReport,
  writeResultFolder,
} from '@unikv/workload'
import type { BenchSizesRequest } from './bench-sizes-request.ts'
import { datasets, target } from './bench-target.ts'
import { exitCodes } from './exit-code.ts'
import { progress } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { driverVersions } from './versions.ts'

/** Run `unikv bench sizes`. Returns the exit code. */
export async function runBenchSizes(request: BenchSizesRequest, terminal: Terminal): Promise<number> {
  const { config, data, compressibility, out } = request
  await checkResultFolder(out)
  const source = await openData({ data, seed: config.seed, compressibility })
  const abort = new AbortController()
  terminal.onInterrupt(() => abort.abort())
  const shown = progress(terminal)
  const opened: Store<Bytes>[] = []
  try {
    const stores = request.stores.map((named) => target(named, datasets.store, opened))
    const caches = request.caches.map(
      (cache): CacheTarget =>
        'url' in cache
          ? { kind: 'remote', ...target(cache, datasets.cache, opened) }
          : { kind: 'in-process', ...cache },
    )
    const result = await benchSizes({
      config,
      stores,
      caches,
      data: source,
      versions: driverVersions([...request.stores, ...request.caches.filter((cache) => 'url' in cache)]),
      signal: abort.signal,
      onEvent: shown.show,
    })
    shown.end()
    await writeResultFolder(out, result)
    return report(result, out, terminal)
  } catch (error) {
    shown.end()
    if (!abort.signal.aborted) throw error
    terminal.error('Interrupted before anything was measured; nothing was written.\n')
    return exitCodes.interrupted
  } finally {
    for (const store of opened) await store.close()
  }
}

function report(result: SizesResult, out: string, { out: print, error }: Terminal): number {
  print(`${textReport(result)}\n`)
  print(`Report: ${join(out, 'report.html')}\n`)
  if (result.status === 'complete') return exitCodes.ok
  if (result.status === 'interrupted') {
    error('Interrupted: the results hold what was finished until then.\n')
    return exitCodes.interrupted
  }
  error(`unikv: ${result.error} The results hold what was finished until then.\n`)
  return exitCodes.failure
}
