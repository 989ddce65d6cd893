import type { Bytes, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { synthetic } from '../../../src/data/open-data.ts'
import type { DrivenCell } from '../../../src/driven/runs.ts'
import type { RunConfig, RunResult } from '../../../src/studies/run/config.ts'
import { run } from '../../../src/studies/run/run.ts'
import { runStudy, type StudyInput } from '../../../src/study/run-study.ts'
import { configOf } from '../config-of.ts'

/** A short run, of so many operations instead of a time. */
const short = { records: 200, operations: 400, duration: 3_600_000, warmup: 0, runs: 2 }

/** The configuration of fields as the command line gives them. */
export async function runConfig(fields: object): Promise<RunConfig> {
  return configOf(run, { ...short, ...('rate' in fields ? {} : { concurrency: 4 }), ...fields })
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
