import type { Bytes, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { runStudy, type StudyInput, studyConfig } from '@unikv/workload'
import { synthetic } from '@unikv/workload/data'
import type { DrivenCell } from '@unikv/workload/driven'
import type { RunConfig } from '../src/config.ts'
import { configure } from '../src/configure.ts'
import type { RunResult } from '../src/result.ts'
import { run } from '../src/run.ts'

/** A short run, of so many operations instead of a time. */
const short = { records: 200, operations: 400, duration: 3_600_000, warmup: 0, runs: 2 }

/** The configuration of fields as the command line gives them. */
export async function runConfig(fields: object): Promise<RunConfig> {
  return studyConfig(
    run,
    (await configure({ ...short, ...('rate' in fields ? {} : { concurrency: 4 }), ...fields })).config,
  )
}

/** Run a workload over one store. */
export async function drive(
  fields: object,
  store: Store<Bytes> = memory(),
  input: Partial<StudyInput<RunConfig, DrivenCell>> = {},
): Promise<RunResult> {
  return runStudy(run, {
    config: await runConfig(fields),
    stores: [{ name: 'here', url: 'memory:', store }],
    data: synthetic({ seed: 1 }),
    ...input,
  })
}
