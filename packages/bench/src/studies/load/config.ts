import { z } from 'zod'
import { threadCount, workerCount } from '../../driven/given/loop-options.ts'
import { workloadSchema } from '../../operations/workload.ts'
import { text } from '../../options/forms.ts'
import { option, type Plain } from '../../options/option.ts'
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
