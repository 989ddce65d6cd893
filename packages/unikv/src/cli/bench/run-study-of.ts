import type { AnyStudy } from '@unikv/bench'
import type { Terminal } from '../terminal.ts'
import { type BenchOptions, type BenchRequest, benchRequest } from './bench-request.ts'
import { runBench } from './run-bench.ts'

/** Run a command below `bench`: alone or beside a baseline, and on a page if that is wanted. Returns the exit code. */
export async function runStudyOf(
  study: AnyStudy,
  options: BenchOptions,
  terminal: Terminal,
): Promise<number> {
  const request = await benchRequest(study, options)
  const { dashboard } = options
  if (dashboard === undefined) return measured(request, options, terminal)
  const { RunPage } = await import('./live/run-page.ts')
  const page = await RunPage.open(request.out, dashboard === true ? undefined : dashboard, terminal)
  try {
    return await measured(request, options, terminal)
  } finally {
    await page.left()
  }
}

async function measured(request: BenchRequest, options: BenchOptions, terminal: Terminal): Promise<number> {
  if (options.against === undefined) return runBench(request, terminal)
  const { runAgainst } = await import('./against.ts')
  return runAgainst(request, { ...options, against: options.against }, terminal)
}
