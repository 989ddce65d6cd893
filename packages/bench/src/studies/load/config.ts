import { z } from 'zod'
import { threadCount, workerCount } from '../../driven/given/loop-options.ts'
import { workloadSchema } from '../../operations/workload.ts'
import { text } from '../../options/forms.ts'
import { option, type Plain, type PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import { studyShape } from '../../study/study-config.ts'

/** The schema of a configuration, with defaults. */
export const loadConfigSchema = z.strictObject({
  table: option(z.string(), { help: 'name of the table (required)', ...text('<name>') }),
  workload: option(workloadSchema, { offers: ['records', 'values'] }),
  /** Worker threads that share the records. */
  threads: option(threadCount, { help: 'threads that share the records' }),
  /** Workers elsewhere that share the records; 0: this process alone. */
  workers: option(workerCount, {
    help: 'workers elsewhere that share the records: see bench worker (needs --queue)',
  }),
  replace: option(z.boolean().default(false), { help: 'load the table again if it is there' }),
  delete: option(z.boolean().default(false), { help: 'delete the table, and load nothing' }),
  runs: z.literal(1).default(1),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type LoadConfig = Plain<typeof loadConfigSchema>

const count = z.int().min(0)

/** The schema of `LoadBody`. */
export const loadBodyShape = {
  tables: z.array(
    z.strictObject({
      store: z.string(),
      table: z.string(),
      /** Records that it holds now; 0: it was deleted. */
      records: count,
      /** Records that it held before; `null`: it was not there. */
      before: count.nullable(),
      elapsedMs: z.number().min(0),
    }),
  ),
}

/** The whole result of `unikv bench load`: `result.json`. */
export type LoadResult = StudyResult<LoadConfig, LoadBody>

/** The table of one store. */
export type TableResult = LoadBody['tables'][number]

/** The fields of a result that are its own. */
export type LoadBody = PlainShape<typeof loadBodyShape>
